"""Embeds texts with benches/vectors.rs, before an index rounds the vectors, and compares two lists of vectors.

As a program, with a Python that has numpy, `vectors.py OURS THEIRS COUNT` compares two files of little-endian f32 and prints as JSON
the mean and least cosine of the two vectors of a text, and the share of a text's ten nearest that both lists have in common.
"""

import json
import os
import subprocess
import sys

from workbench import ROOT


def build():
    """Builds benches/vectors.rs and returns the program's path."""
    command = ["cargo", "bench", "-p", "tars-benches", "--locked", "--quiet", "--bench", "vectors", "--no-run", "--message-format=json"]
    lines = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    made = [json.loads(line) for line in lines if line.startswith("{")]
    return next(one["executable"] for one in made if one.get("executable") and one["target"]["name"] == "vectors")


def embed(program, models, model, way, texts, out):
    """Writes the vectors of the file `texts`, a list as JSON, to the file `out`. `way` is onnx, auto or an instruction set."""
    with open(out, "wb") as file:
        subprocess.run([program, models, model, way, texts], check=True, stdout=file)


def close(python, ours, theirs, count):
    """Compares two files of `count` vectors with a Python that has numpy."""
    command = [python, os.path.abspath(__file__), ours, theirs, str(count)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def compare(ours, theirs, count):
    import numpy

    ours, theirs = (numpy.fromfile(name, "<f4").reshape(count, -1) for name in (ours, theirs))
    ours, theirs = (made / numpy.linalg.norm(made, axis=1, keepdims=True) for made in (ours, theirs))
    cosines = (ours * theirs).sum(axis=1)
    nearest = [numpy.argsort(-(made @ made.T), axis=1)[:, 1:11] for made in (ours, theirs)]
    shared = [len(set(one) & set(other)) / 10 for one, other in zip(*nearest)]
    return {"mean": float(cosines.mean()), "least": float(cosines.min()), "shared": sum(shared) / len(shared)}


if __name__ == "__main__":
    print(json.dumps(compare(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
