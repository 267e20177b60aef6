import { type App, appJob } from './app.ts';
import type { Job } from './job.ts';
import { testJob } from './test-files.ts';
import { testRows } from './test-rows.ts';

/** The oldest version that `engines` of package.json accepts, and the line that the project itself uses. */
const oldest = '22.19.0';
const current = '24';

type Title = string;
type Row = readonly [title: Title, app: Omit<App, 'node'>, nodes?: readonly string[]];

const both = [oldest, current] as const;

/** OpenTelemetry's packages that `tracing` needs, in one generation. */
const openTelemetry = (api: string, stable: string, logs: string, otlp: string): readonly string[] => [
  `@opentelemetry/api@${api}`,
  ...['context-async-hooks', 'resources', 'sdk-metrics', 'sdk-trace'].map((name) => `@opentelemetry/${name}@${stable}`),
  `@opentelemetry/sdk-logs@${logs}`,
  ...['otlp-exporter-base', 'otlp-transformer'].map((name) => `@opentelemetry/${name}@${otlp}`),
];

/** Packages whose features the gateway has, in the oldest and the newest versions that work, and in some that do not. */
const features: readonly Row[] = [
  ['graphql 16.9 and n3 1.17', { program: 'knowledge', packages: ['graphql@16.9.0', 'n3@1.17.0'] }],
  ['graphql 16 and n3 1', { program: 'knowledge', packages: ['graphql@16', 'n3@1'] }, both],
  ['graphql 17 and n3 2', { program: 'knowledge', packages: ['graphql@17', 'n3@2'] }, both],
  ['graphql 16 and n3 1, unused', { program: 'bare', packages: ['graphql@16', 'n3@1'] }],
  [
    'OpenTelemetry SDK 1 of the app',
    { program: 'own-sdk', packages: ['@opentelemetry/api@1.9', '@opentelemetry/sdk-trace-node@1'] },
    both,
  ],
  [
    'OpenTelemetry SDK 2 of the app',
    { program: 'own-sdk', packages: ['@opentelemetry/api@1.9', '@opentelemetry/sdk-trace-node@2'] },
    both,
  ],
  [
    'sdk-node 0.57 of the app',
    {
      program: 'own-sdk',
      packages: ['@opentelemetry/api@1.9', '@opentelemetry/sdk-node@0.57'],
      env: { SDK: 'node' },
    },
  ],
  [
    'sdk-node 0.200 of the app',
    {
      program: 'own-sdk',
      packages: ['@opentelemetry/api@1.9', '@opentelemetry/sdk-node@0.200'],
      env: { SDK: 'node' },
    },
  ],
  [
    'sdk-node 0.301 of the app',
    {
      program: 'own-sdk',
      packages: ['@opentelemetry/api@1.10', '@opentelemetry/sdk-node@0.301'],
      env: { SDK: 'node' },
    },
  ],
  [
    'tracing with OpenTelemetry 1, refused',
    {
      program: 'telemetry',
      packages: ['@opentelemetry/api@1.9', '@opentelemetry/sdk-node@0.57'],
      env: { REFUSED: 'needs @opentelemetry/.* is installed; .*run: npm install @opentelemetry/api@1.10 ' },
    },
  ],
  [
    'tracing with OpenTelemetry 2.10',
    { program: 'telemetry', packages: openTelemetry('1.9.0', '2.10.0', '0.221.0', '0.221.0') },
  ],
  ['tracing with OpenTelemetry 2', { program: 'telemetry', packages: openTelemetry('1.9', '2', '0.223', '0.223') }],
  ['tracing with OpenTelemetry 3', { program: 'telemetry', packages: openTelemetry('1.10', '3', '3', '0.301') }, both],
  [
    'openid-client 5, refused where it is configured',
    {
      program: 'sign-in',
      packages: ['openid-client@5'],
      env: {
        REFUSED: 'console.signIn: needs openid-client .*, and 5\\..* is installed; run: npm install openid-client@6',
      },
    },
  ],
  ['openid-client 6.1', { program: 'sign-in', packages: ['openid-client@6.1.1'] }],
  ['openid-client 6', { program: 'sign-in', packages: ['openid-client@6'] }, both],
];

/** Libraries into which an app mounts the gateway. */
const mounts: readonly Row[] = [
  ['the gateway alone', { program: 'bare', packages: [] }, both],
  ['express 4', { program: 'express', packages: ['express@4'] }, both],
  ['express 5', { program: 'express', packages: ['express@5'] }, both],
  ['fastify', { program: 'fastify', packages: ['fastify@5'] }],
  ['hono', { program: 'hono', packages: ['hono@4', '@hono/node-server@2'] }],
  ['next 16', { program: 'next', packages: ['next@16', 'react@19', 'react-dom@19'] }, both],
  ['grpc-js 1.12', { program: 'grpc-js', packages: ['@grpc/grpc-js@~1.12.0'] }, both],
  ['grpc-js 1.13', { program: 'grpc-js', packages: ['@grpc/grpc-js@~1.13.0'] }],
  [
    'connect 2.0',
    {
      program: 'connect',
      packages: ['@connectrpc/connect@~2.0.0', '@connectrpc/connect-node@~2.0.0', '@bufbuild/protobuf@2'],
    },
  ],
  [
    'connect, newest',
    { program: 'connect', packages: ['@connectrpc/connect@2', '@connectrpc/connect-node@2', '@bufbuild/protobuf@2'] },
    both,
  ],
  [
    'connect-next',
    {
      program: 'connect-next',
      packages: [
        ...['next@15', 'react@19', 'react-dom@19', '@bufbuild/protobuf@2', '@connectrpc/connect@2.1.1'],
        ...['@connectrpc/connect-node@2.1.1', '@connectrpc/connect-next@2.1.1'],
      ],
    },
  ],
  [
    'connect 1, refused',
    {
      program: 'connect',
      packages: ['@connectrpc/connect@1', '@connectrpc/connect-node@1', '@bufbuild/protobuf@1'],
      env: { REFUSED: 'needs version 2 of Connect.*npm install @connectrpc/connect@2' },
    },
  ],
  ['grpc-js, newest', { program: 'grpc-js', packages: ['@grpc/grpc-js@1'] }, both],
];

const appJobs = (rows: readonly Row[]): readonly Job[] =>
  rows.flatMap(([title, app, nodes = [current]]) => nodes.map((node) => appJob(title, Object.assign({ node }, app))));

/**
 * All jobs, in the order of the table. A suite that needs more than the checkout and npm's own packages, or minutes of
 * installing, is a job here.
 */
export const jobs: readonly Job[] = [...testRows.map(testJob), ...appJobs(mounts), ...appJobs(features)];
