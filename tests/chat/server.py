#!/usr/bin/env python3
"""A llama.cpp server on the loopback interface, from the wheel `xllamacpp`, until its standard input closes.

Usage: server.py MODEL WINDOW     (with the Python of the folder that run.py made; prints its address in the first line)

Answers are greedy, so that a run can be repeated, and 100 tokens at most, because a small model seldom ends by itself.
"""

import sys

import xllamacpp


def main():
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.n_ctx = int(sys.argv[2])
    parameters.n_predict = 100
    parameters.n_parallel = 1
    parameters.sampling.temp = 0
    parameters.offline = True
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
