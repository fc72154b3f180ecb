# The HTTP and MCP server of the memory, for one machine: docs/http.md says how it is used.
FROM python:3.12-slim

# pip cannot check the hash of a folder: what we depend on comes first, then ourselves.
WORKDIR /build
COPY constraints.txt ./
RUN pip install --no-cache-dir --require-hashes --no-deps -r constraints.txt
COPY pyproject.toml README.md LICENSE ./
COPY brain ./brain
RUN pip install --no-cache-dir --no-deps . && rm -rf /build/*

RUN useradd --create-home --uid 1000 brain && install -d -o brain -g brain -m 700 /data
USER brain
WORKDIR /data
ENV BRAIN_DB=/data/brain.db
VOLUME /data
EXPOSE 8766

# It listens beyond this container, so it starts only with BRAIN_TOKEN set.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "\
import os, urllib.request as u; u.urlopen(u.Request('http://127.0.0.1:8766/healthz', \
headers={'Authorization': 'Bearer ' + os.environ.get('BRAIN_TOKEN', '')}), timeout=4)"]
ENTRYPOINT ["brain", "serve", "--host", "0.0.0.0", "--port", "8766"]
