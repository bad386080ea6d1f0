# corefine in a container, without root:
#   docker build -t corefine .
#   docker run --rm -v "$PWD:/data" corefine score key.conll response.conll
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels '.[parquet,plots]'

FROM python:3.12-slim
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir --no-index --find-links /wheels 'corefine[parquet,plots]' \
    && rm -rf /wheels \
    && useradd --create-home --uid 1000 corefine
USER corefine
WORKDIR /data
ENTRYPOINT ["corefine"]
CMD ["--help"]
