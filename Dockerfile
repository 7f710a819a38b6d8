# Build:  docker build -t cleanse .
# Run:    mkdir -p out && docker run --rm --read-only --tmpfs /tmp --user "$(id -u):$(id -g)" \
#           -v "$PWD/raw:/data:ro" -v "$PWD/out:/out" cleanse run /data -o /out/run
# Any base with python3 >= 3.11, venv and pip will do: --build-arg BASE_IMAGE=...
ARG BASE_IMAGE=python:3.12-slim-bookworm

FROM ${BASE_IMAGE} AS build
RUN python3 -m venv /opt/cleanse
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
# Dependencies before source: a change of the code or of the README does not install them again
COPY pyproject.toml ./
RUN /opt/cleanse/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' > requirements.txt \
 && /opt/cleanse/bin/pip install -r requirements.txt
COPY README.md LICENSE ./
COPY configs configs
COPY cleanse cleanse
# A venv of python 3.11 brings setuptools, one of 3.12 does not; pip goes last, by its own hand
RUN /opt/cleanse/bin/pip install --no-deps . \
 && /opt/cleanse/bin/pip check \
 && /opt/cleanse/bin/pip uninstall --yes setuptools \
 && /opt/cleanse/bin/pip uninstall --yes pip \
 && find /opt/cleanse -type d \( -name tests -o -name test -o -name __pycache__ \) -prune -exec rm -rf {} +

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="cleanse" \
      org.opencontainers.image.description="Turns a dirty text corpus into training data one can defend" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/cleanse /opt/cleanse
# HOME is /tmp: the one place that is writable for any --user, also on a read-only root
ENV PATH=/opt/cleanse/bin:$PATH HOME=/tmp PYTHONUTF8=1 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /data
USER 10001:10001
ENTRYPOINT ["cleanse"]
CMD ["--help"]
