"""Texts as vectors: character 1-2 grams hashed to 2^16, TF-IDF, truncated SVD. The same bytes for any order of rows."""

import hashlib
import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_HASHES = 1 << 16
NGRAMS = (1, 2)
GRID = 1 << 15  # vectors are multiples of 1 / GRID: what a float32 product leaves below is noise


def counted(texts: Sequence[str]) -> Any:
    """Counts of hashed character grams, a sparse matrix of texts × N_HASHES."""
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import HashingVectorizer

    if not texts:  # scikit-learn asks for the first
        return csr_matrix((0, N_HASHES))
    hasher = HashingVectorizer(
        analyzer="char", ngram_range=NGRAMS, n_features=N_HASHES, alternate_sign=False, norm=None, lowercase=True
    )
    return hasher.transform(texts)


def packed(**arrays: Any) -> bytes:
    """Arrays as the bytes of an .npz; the same arrays give the same bytes."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def sample(ids: Sequence[str], texts: Sequence[str]) -> bytes:
    """The counts of some texts for `fit`."""
    counts = counted(texts)
    where = {"data": counts.data, "indices": counts.indices, "indptr": counts.indptr}
    return packed(ids=np.array(ids, dtype=np.str_), **where)


def fit(samples: Sequence[bytes], dim: int, seed: int) -> bytes:
    """The vectorizer of all samples, rows in `_id` order, as .npz: `idf` and `components`.

    `dim`: at most the rows there are. One BLAS thread: more would add in another order.
    """
    from scipy.sparse import csr_matrix, vstack
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from threadpoolctl import threadpool_limits

    loaded = [np.load(io.BytesIO(data)) for data in samples]
    shapes = [csr_matrix((z["data"], z["indices"], z["indptr"]), (len(z["ids"]), N_HASHES)) for z in loaded]
    counts = vstack(shapes, format="csr")[np.argsort(np.concatenate([z["ids"] for z in loaded]), kind="stable")]
    with threadpool_limits(1):
        tfidf = TfidfTransformer(sublinear_tf=True).fit(counts)
        svd = TruncatedSVD(min(dim, counts.shape[0]), random_state=seed % 2**32).fit(tfidf.transform(counts))
    return packed(idf=tfidf.idf_.astype(np.float64), components=svd.components_.astype(np.float32))


def described(model: bytes) -> dict[str, Any]:
    """vectorizer.json: how texts become vectors with the model."""
    dim = np.load(io.BytesIO(model))["components"].shape[0]
    grams = {"analyzer": "char", "ngrams": list(NGRAMS), "hashes": N_HASHES, "sublinear_tf": True, "norm": "l2"}
    return {"schema": "cleanse.vectorizer/1", "kind": "svd", **grams, "dim": int(dim), "grid": GRID}


def identity(model: bytes) -> str:
    """`vectorizer_id`: 12 hex digits of the hash of model and description."""
    text = json.dumps(described(model), sort_keys=True)
    return hashlib.blake2b(model + text.encode(), digest_size=32).hexdigest()[:12]


def transform(texts: Sequence[str], model: bytes) -> NDArray[np.float32]:
    """Vectors of length 1 (0 for a text without a known gram), float32 multiples of 1/GRID."""
    from sklearn.preprocessing import normalize
    from threadpoolctl import threadpool_limits

    known = np.load(io.BytesIO(model))
    counts = counted(texts).astype(np.float64)
    counts.data = (np.log(counts.data) + 1) * known["idf"][counts.indices]
    with threadpool_limits(1):
        vectors = normalize(counts) @ known["components"].T.astype(np.float64)
        vectors = normalize(vectors)
    found: NDArray[np.float32] = (np.rint(vectors * GRID) / GRID).astype(np.float32)
    return found
