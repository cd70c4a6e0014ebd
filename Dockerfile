# Benchwright in a container: for macOS and Windows, and where nothing should be installed.
#
#   docker build -t benchwright .
#   docker run --rm --security-opt seccomp=unconfined --security-opt systempaths=unconfined \
#       -v "$PWD:/work" benchwright demo
#
# Answers run in a sandbox of their own inside of the container, which takes the namespaces that Docker's usual
# filter forbids: the two options allow them. `benchwright doctor` tells what holds.
#
# As a node of a Ray cluster (docs/cluster.md):
#
#   docker build --build-arg WITH="build ianvs ray station" -t benchwright-node .
#   docker run --rm --network host --entrypoint ray … benchwright-node start --block --address=HOST:6379
FROM python:3.12-slim
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends bubblewrap \
    && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml README.md LICENSE /src/
COPY src /src/src
COPY packages /src/packages
ARG WITH="build ianvs station"
RUN pip install --no-cache-dir '/src[all,oidc,postgres]' $(printf '/src/packages/benchwright-%s ' $WITH) && rm -rf /src
RUN useradd --create-home judge && mkdir /work && chown judge /work
USER judge
WORKDIR /work
ENTRYPOINT ["benchwright"]
CMD ["--help"]
