import * as z from 'zod';
import { requestCounts } from '../../core/limits/counts.ts';
import type { LimitsConfig, ListenConfig } from '../../gen/settings.ts';
import type { ReportProblem } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import {
  amount,
  anything,
  count,
  secretOf,
  section,
  size,
  sizeThat,
  textThat,
  timeout,
  wholeNumber,
} from '../schema-parts.ts';
import { isLocalOnly } from './listen.ts';

const headerSize = sizeThat('a size from 1KiB to 1MiB, such as 16KiB', (bytes) => bytes >= 1_024 && bytes <= 1_048_576);

const expectedPathKey = 'a key of at least 32 characters';

const byReach = (bound: number): string => `Default: ${bound}; unlimited if only this machine can reach the gateway.`;

/**
 * Default limits that protect the users of a gateway from one another. They do not apply to a gateway that only this
 * machine can reach.
 */
const remoteDefaults = { requestsPerMinute: 600, streams: 100, streamsPerTask: 100 };

/** `limits`: limits for each caller, each request, and the memory of the process. */
export const limits = section('limits', () => ({
  body: size.prefault('10MiB').describe('Maximum size of a request body.'),
  parts: count.prefault(requestCounts.parts).describe('Maximum number of parts in one message of a request.'),
  keys: count
    .prefault(requestCounts.keys)
    .describe('Maximum number of keys in one object of a request, such as the metadata of a message.'),
  values: count
    .prefault(requestCounts.values)
    .describe(
      'Maximum number of values in one request: the items of all its lists and the members of all its objects.',
    ),
  headers: headerSize.prefault('16KiB').describe("Maximum size of a request's headers."),
  answer: timeout.prefault('300s').describe('Time within which a blocking call must be answered.'),
  requestTimeout: timeout.prefault('30s').describe('Time within which a request must arrive.'),
  slowReader: timeout.prefault('30s').describe('Time within which a client must read each MiB that is sent to it.'),
  requestsPerMinute: count
    .optional()
    .describe(
      `Maximum number of requests per minute from one principal, or from one network of anonymous callers. ${byReach(remoteDefaults.requestsPerMinute)}`,
    ),
  streams: count
    .optional()
    .describe(`Maximum number of concurrent streams of one principal. ${byReach(remoteDefaults.streams)}`),
  streamsPerTask: count
    .optional()
    .describe(`Maximum number of concurrent streams of one task. ${byReach(remoteDefaults.streamsPerTask)}`),
  page: size.prefault('8MiB').describe('Size after which a page of a list ends.'),
  buffered: size
    .prefault('256MiB')
    .describe('Memory for large requests and responses of all connections together, at most a third of the heap.'),
  state: size
    .prefault('1MiB')
    .describe('Maximum size of the JSON that an agent stores for one task, or for one context.'),
  task: size
    .prefault('64MiB')
    .describe('Maximum size of the events of one task as JSON. A task that would become larger fails.'),
  connections: count.prefault('unlimited').describe('Maximum number of concurrent connections.'),
  root: rootLimits().prefault({}).describe('Limits of a whole tree of calls, even across gateways.'),
  webhooks: section('limits of webhooks', () => ({
    perTask: count.prefault(20).describe('Maximum number of push configurations of one task.'),
    perPrincipal: count
      .prefault(1_000)
      .describe(
        'Maximum number of push configurations of one principal that have undelivered events, or whose tasks have not ended.',
      ),
    perMinute: count.prefault(6_000).describe('Maximum number of notifications to one host within a minute.'),
  }))
    .prefault({})
    .describe('Limits of push notifications.'),
})).register(schemaFacts, { input: 'LimitsSettings', output: 'LimitsConfig' });

/** `limits.root` */
const rootLimits = () =>
  section('limits of a tree of calls', () => ({
    calls: count.optional().describe('Maximum number of calls of agents in one tree.'),
    depth: count.optional().describe('Maximum number of agents in a chain of calls, including the first.'),
    time: timeout.optional().describe('Maximum duration of the first task and all tasks below it.'),
    bytes: size.optional().describe('Maximum size of the events of all tasks of the tree together.'),
    cost: amount.optional().describe('Maximum total cost that the agents of the tree report.'),
    reentries: wholeNumber
      .prefault(0)
      .describe('Maximum number of times that an agent may be called again within its own tree.'),
    gateway: textThat('a name of letters, digits, dots, colons and hyphens', (name) => /^[\w.:-]{1,64}$/.test(name))
      .optional()
      .describe(
        'The name of this gateway in paths, which must be equal at all its replicas. Default: the host of `listen.publicUrl`.',
      ),
    keys: z
      .array(secretOf(textThat(expectedPathKey, (key) => key.length >= 32)), anything('a list of keys'))
      .optional()
      .describe(
        'Keys that the gateways of one operator share. The first key signs the paths of calls; signatures of all keys are accepted. Default: no path is sent or accepted.',
      ),
  }));

/**
 * Resolves the limits. Limits that protect users from one another have no default if only this machine can reach the
 * listener.
 */
export function resolveLimits(
  input: z.output<typeof limits>,
  { host, publicUrl }: ListenConfig,
  report: ReportProblem,
): Required<LimitsConfig> {
  const local = isLocalOnly({ host, publicUrl });
  const bounds = Object.entries(remoteDefaults).map(([name, bound]) => {
    const given = input[name as keyof typeof remoteDefaults];
    return [name, given ?? (local ? Number.POSITIVE_INFINITY : bound)];
  });
  const { gateway = publicUrl && new URL(publicUrl).host, ...root } = input.root;
  if (root.keys && !gateway)
    report(['root', 'gateway'], 'expected a name for this gateway, because listen.publicUrl is not set');
  return { ...input, root: { ...root, ...(gateway && { gateway }) }, ...Object.fromEntries(bounds) };
}
