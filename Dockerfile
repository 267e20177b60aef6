# docker build -t a2a-gateway .        The configuration is mounted at /etc/a2a-gateway/gateway.yaml; see examples/compose.
# docker buildx build --platform linux/amd64,linux/arm64 .   Only the last stage is of the image's architecture. It runs no
# program, and the packages in it have no native code, so that no architecture needs to be emulated.
# With a digest, NODE_IMAGE names the one image that was looked at: --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY tools/node/package.json tools/node/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY bin bin
COPY codegen codegen
COPY proto proto
COPY scripts scripts
COPY src src
COPY tsconfig.json tsconfig.build.json ./
# The build compiles protos, with a package that it installs.
COPY tools/compile/package.json tools/compile/package-lock.json tools/compile/.npmrc tools/compile/
RUN npm run build && mkdir /data

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/node/package.json tools/node/
RUN npm ci --omit=dev --omit=optional --workspaces=false --ignore-scripts --no-audit --no-fund
# What OpenTelemetry and knowledge graphs need; --build-arg FEATURES= leaves it out.
ARG FEATURES="@opentelemetry/api@1.10.0 @opentelemetry/context-async-hooks@3.1.1 @opentelemetry/otlp-exporter-base@0.301.1 @opentelemetry/otlp-transformer@0.301.1 @opentelemetry/resources@3.1.1 @opentelemetry/sdk-logs@3.1.1 @opentelemetry/sdk-metrics@3.1.1 @opentelemetry/sdk-trace@3.1.1 graphql@17.1.0 n3@2.13.12 rdf-validate-shacl@0.6.5 openid-client@6.9.0 @nats-io/transport-node@3.4.0 @bufbuild/cel@0.6.1"
RUN npm install --no-save --save-prod --omit=dev --omit=optional --workspaces=false --ignore-scripts --no-audit --no-fund ${FEATURES}

FROM ${NODE_IMAGE}
ARG VERSION=0.0.0-local
ARG REVISION=unknown
# Addresses of the project (not registered yet)
LABEL org.opencontainers.image.title="a2a-gateway"
LABEL org.opencontainers.image.description="Any A2A client reaches any A2A agent: every generation of the protocol, every binding, one port, durable tasks."
LABEL org.opencontainers.image.licenses="Apache-2.0"
LABEL org.opencontainers.image.url="https://a2a-gateway.github.io/a2a-gateway/"
LABEL org.opencontainers.image.source="https://github.com/a2a-gateway/a2a-gateway"
LABEL org.opencontainers.image.vendor="a2a-gateway authors"
LABEL org.opencontainers.image.version="$VERSION"
LABEL org.opencontainers.image.revision="$REVISION"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /src/dist dist
COPY bin bin
COPY proto proto
COPY package.json LICENSE ./
# What `a2a-gateway types` installs.
COPY tools/compile/package.json tools/compile/package-lock.json tools/compile/
COPY tools/types/package.json tools/types/package-lock.json tools/types/
COPY tools/plugins/package.json tools/plugins/package-lock.json tools/plugins/
# Where the user may write: store: sqlite:/data/gateway.db
COPY --from=build --chown=node:node /data /data
WORKDIR /data
VOLUME /data
USER node
EXPOSE 8080
# Alive is not ready: an orchestrator asks /readyz before it sends requests, and /healthz before it starts one anew.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/a2a-gateway.js"]
CMD ["serve", "--config", "/etc/a2a-gateway/gateway.yaml"]
