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

const byReach = (bound: number): string =>
  `Default: ${bound}; unlimited where only this machine can reach the gateway.`;

/** Bounds that keep the users of a gateway from one another. A gateway that only this machine can reach has none. */
const remoteDefaults = { requestsPerMinute: 600, streams: 100, streamsPerTask: 100 };

/** `limits`: what bounds one caller, one request, and the memory of the process. */
export const limits = section('limits', () => ({
  body: size.prefault('10MiB').describe('Size of a request body.'),
  parts: count.prefault(requestCounts.parts).describe('Parts of one message of a request.'),
  keys: count
    .prefault(requestCounts.keys)
    .describe('Keys of one object in a request, such as the metadata of a message.'),
  values: count
    .prefault(requestCounts.values)
    .describe('Values of one request: the items of all its lists and the members of all its objects.'),
  headers: headerSize.prefault('16KiB').describe("Size of a request's headers."),
  answer: timeout.prefault('300s').describe('Time within which a blocking call is answered.'),
  requestTimeout: timeout.prefault('30s').describe('Time within which a request must arrive.'),
  slowReader: timeout.prefault('30s').describe('Time that a client may take to read each MiB that was sent to it.'),
  requestsPerMinute: count
    .optional()
    .describe(
      `Requests of one principal, or of one network of anonymous callers. ${byReach(remoteDefaults.requestsPerMinute)}`,
    ),
  streams: count.optional().describe(`Streams of one principal at the same time. ${byReach(remoteDefaults.streams)}`),
  streamsPerTask: count
    .optional()
    .describe(`Streams of one task at the same time. ${byReach(remoteDefaults.streamsPerTask)}`),
  page: size.prefault('8MiB').describe('Size after which a page of a list ends.'),
  buffered: size
    .prefault('256MiB')
    .describe(
      'Memory for large requests and answers of all connections together. Never more than a third of the heap.',
    ),
  state: size.prefault('1MiB').describe('Size of the JSON that an agent keeps for one task, or for one context.'),
  task: size
    .prefault('64MiB')
    .describe('Size of the events of one task as JSON. A task that would become larger fails.'),
  connections: count.prefault('unlimited').describe('Connections at the same time.'),
  root: rootLimits().prefault({}).describe('Limits of a whole tree of calls, also across gateways.'),
  webhooks: section('bounds on webhooks', () => ({
    perTask: count.prefault(20).describe('Push configurations of one task.'),
    perPrincipal: count
      .prefault(1_000)
      .describe('Push configurations of one principal that have undelivered events, or whose tasks have not ended.'),
    perMinute: count.prefault(6_000).describe('Notifications to one host within a minute.'),
  }))
    .prefault({})
    .describe('Limits of push notifications.'),
})).register(schemaFacts, { input: 'LimitsSettings', output: 'LimitsConfig' });

/** `limits.root` */
const rootLimits = () =>
  section('limits of a tree of calls', () => ({
    calls: count.optional().describe('Calls of agents in one tree.'),
    depth: count.optional().describe('Agents in a chain of calls, including the first.'),
    time: timeout.optional().describe('Duration of the first task and all tasks below it.'),
    bytes: size.optional().describe('Size of the events of all tasks of the tree together.'),
    cost: amount.optional().describe('Total cost that the agents of the tree may report.'),
    reentries: wholeNumber
      .prefault(0)
      .describe('Number of times that an agent may be called again within its own tree.'),
    gateway: textThat('a name of letters, digits, dots, colons and hyphens', (name) => /^[\w.:-]{1,64}$/.test(name))
      .optional()
      .describe(
        'The name of this gateway in paths. It must be the same at all its replicas. Default: the host of `listen.publicUrl`.',
      ),
    keys: z
      .array(secretOf(textThat(expectedPathKey, (key) => key.length >= 32)), anything('a list of keys'))
      .optional()
      .describe(
        'Keys that gateways of one operator share: the first signs the paths of calls, and all are accepted. Default: no path is sent or accepted.',
      ),
  }));

/** @param listen says where the gateway is reached: it has no bounds where only this machine can reach it */
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
    report(['root', 'gateway'], 'expected a name for this gateway, since there is no listen.publicUrl');
  return { ...input, root: { ...root, ...(gateway && { gateway }) }, ...Object.fromEntries(bounds) };
}
