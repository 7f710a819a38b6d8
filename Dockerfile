# Build:  docker build -t cleanse .
# Run:    docker run --rm --read-only --tmpfs /tmp -v "$PWD/raw:/data:ro" -v "$PWD/out:/out" cleanse run /data -o /out/run
# Any base with python3 >= 3.11, venv and pip will do: --build-arg BASE_IMAGE=...
ARG BASE_IMAGE=python:3.12-slim-bookworm

FROM ${BASE_IMAGE} AS build
RUN python3 -m venv /opt/cleanse
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
# Dependencies before source: a change of the code does not install them again
COPY pyproject.toml README.md LICENSE ./
COPY cleanse/__init__.py cleanse/
RUN /opt/cleanse/bin/pip install .
COPY cleanse cleanse
RUN /opt/cleanse/bin/pip install --no-deps --force-reinstall . \
 && /opt/cleanse/bin/pip uninstall --yes pip \
 && find /opt/cleanse -type d \( -name tests -o -name test -o -name __pycache__ \) -prune -exec rm -rf {} +

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="cleanse" \
      org.opencontainers.image.description="Turns a dirty text corpus into training data one can defend" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/cleanse /opt/cleanse
ENV PATH=/opt/cleanse/bin:$PATH HOME=/tmp PYTHONUTF8=1 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /data
ENTRYPOINT ["cleanse"]
CMD ["--help"]
