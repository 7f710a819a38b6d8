"""A store that speaks S3, on this machine; it can be made to fail at the n-th write."""

import io
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

import pyarrow.fs

KEYS = {
    "AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "s3cr3t", "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_DEFAULT_REGION": "us-east-1",
}  # fmt: skip
FAILS = "409 Conflict"  # a 500 the client itself tries again, for seconds


class Store:
    """`port` of the server. `puts`: the objects put so far. From put `dies_at` on nothing is answered but FAILS, and
    of that very object half is stored. `left`: requests that are answered yet. `denies`: all are refused.
    """

    def __init__(self, app: Callable[[dict[str, Any], Any], Iterable[bytes]]) -> None:
        self.app, self.port, self.requests = app, 0, 0
        self.puts: list[str] = []
        self.dies_at: int | None = None
        self.left: int | None = None
        self.denies = False

    def __call__(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        """A WSGI application."""
        self.requests += 1
        if self.denies:
            return _refused(start, "403 Forbidden", "AccessDenied")
        if environ["REQUEST_METHOD"] == "PUT" and environ["PATH_INFO"].count("/") > 1:
            self.puts.append(environ["PATH_INFO"][1:].encode("latin-1").decode())
            if len(self.puts) == self.dies_at:
                half = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))[: int(environ["CONTENT_LENGTH"]) // 2]
                self.app(environ | {"wsgi.input": io.BytesIO(half), "CONTENT_LENGTH": str(len(half))}, lambda *_: None)
        if self.left is not None:
            self.left -= 1
        if self.left is not None and self.left < 0:
            return _refused(start, FAILS, "NoRoom")
        if self.dies_at is not None and len(self.puts) >= self.dies_at:
            return _refused(
                start, "507 Insufficient Storage", "NoRoom"
            )  # a 500 the client tries again itself, for seconds
        return self.app(environ, start)

    def uri(self, path: str) -> str:
        """Of an object or folder: with a user and a query, which nobody may be shown."""
        return f"s3://somebody:s3cr3t@{path}?endpoint_override=127.0.0.1:{self.port}&scheme=http"

    def objects(self, folder: str) -> dict[str, bytes]:
        """Every object below a folder, by its path there."""
        return {name: self.read(f"{folder}/{name}") for name in self.sizes(folder)}

    def sizes(self, folder: str) -> dict[str, int]:
        """Bytes of every object below a folder."""
        found = self.files.get_file_info(pyarrow.fs.FileSelector(folder, recursive=True, allow_not_found=True))
        return {info.path.removeprefix(f"{folder}/"): info.size for info in found if info.is_file}

    def read(self, path: str) -> bytes:
        """An object."""
        with self.files.open_input_file(path) as file:
            return bytes(file.read())

    def write(self, path: str, content: bytes) -> None:
        """Put an object."""
        with self.files.open_output_stream(path, compression=None) as file:
            file.write(content)

    @property
    def files(self) -> Any:
        """The store by another way than that of cleanse."""
        return pyarrow.fs.S3FileSystem(
            access_key="somebody", secret_key="s3cr3t", endpoint_override=f"127.0.0.1:{self.port}", scheme="http",
            allow_bucket_creation=True,
        )  # fmt: skip


def _refused(start: Any, status: str, code: str) -> list[bytes]:
    start(status, [("Content-Type", "application/xml")])
    return [f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()]


@contextmanager
def serving() -> Iterator[Store]:
    """A server with an empty bucket called `bucket`."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    store = Store(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, store, threaded=True)
    store.port = server.server_port
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        urlopen(Request(f"http://127.0.0.1:{store.port}/moto-api/reset", method="POST")).close()
        store.files.create_dir("bucket")
        yield store
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
