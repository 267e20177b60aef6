import {
  curl,
  envoy,
  go,
  grpcurl,
  haproxy,
  helm3,
  helm4,
  nats,
  nginx,
  olderNats,
  pgBouncer,
  python,
} from './programs/list.ts';
import type { TestRow } from './test-files.ts';

const natsFiles = ['test/stores/cluster/nats.test.ts', 'test/stores/cluster/channel.test.ts'];
/** Milliseconds for rows that build large programs the first time, on a machine that is busy. */
const building = 3_600_000;

const chartFiles = ['test/package/kubernetes.test.ts'];

/** Files of tests that `.ci/run` skips, whole or in part, where a machine has nothing but npm. */
export const testRows: readonly TestRow[] = [
  { title: 'replicas with NATS', files: natsFiles, programs: [nats] },
  { title: 'replicas with the NATS of Debian', files: natsFiles, programs: [olderNats] },
  {
    title: 'PostgreSQL behind PgBouncer',
    files: ['test/stores/postgres/pooler.test.ts'],
    programs: [pgBouncer, nats],
  },
  { title: 'the chart with Helm 3', files: chartFiles, programs: [helm3], timeout: building },
  { title: 'the chart with Helm 4', files: chartFiles, programs: [helm4], timeout: building },
  {
    title: 'nginx, HAProxy and Envoy in front of replicas',
    files: ['test/examples/proxies.slow.test.ts', 'test/examples/nginx-location.slow.test.ts'],
    programs: [nginx, haproxy, envoy],
    skipped: [
      {
        name: /HAProxy.*for local callers alone/,
        because: 'the gateway cannot tell connections that a proxy passes on from those of this machine',
      },
    ],
  },
  {
    title: 'the console behind nginx',
    files: ['test/extensions/console/operator.slow.test.ts'],
    programs: [nginx],
    suite: 'tools',
  },
  {
    title: 'calls with curl',
    files: ['test/extensions/console/snippets.test.ts', 'test/transports/tls.test.ts'],
    programs: [curl],
    suite: 'tools',
  },
  {
    title: 'the page about gRPC',
    files: ['test/rpc-clients/grpc-guide.slow.test.ts'],
    programs: [grpcurl, go, python],
    suite: 'tools',
  },
  {
    title: 'the path of a stranger through the pages',
    files: ['test/readme/path.slow.test.ts'],
    programs: [curl, python, nginx],
  },
  {
    title: 'the suites of Connect and gRPC',
    files: ['test/conformance/rpc/conformance.slow.test.ts'],
    suite: 'rpc',
    timeout: building,
  },
  {
    title: 'the suite of protobuf',
    files: ['test/conformance/protobuf/conformance.slow.test.ts'],
    suite: 'protobuf',
  },
  { title: 'the contracts of dummy-a2a', files: ['test/conformance/dummy/conformance.slow.test.ts'], suite: 'dummy' },
  { title: 'the scenarios of a2a-itk', files: ['test/conformance/itk/conformance.slow.test.ts'], suite: 'itk' },
  { title: 'ACTS', files: ['test/conformance/acts/conformance.slow.test.ts'], suite: 'acts' },
];
