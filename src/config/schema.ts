import * as z from 'zod';
import { expectedAllowed, readAllowed } from '../net/guard/allowed.ts';
import { moduleSections } from './module-sections.ts';
import { schemaFacts } from './schema-facts.ts';
import { anything, duration, flag, oneOf, section, text, textThat, timeout } from './schema-parts.ts';
import { agents, agentsOfProgram } from './sections/agents.ts';
import { auth, authOfProgram } from './sections/auth.ts';
import { cards } from './sections/cards.ts';
import { consolePages, ownPages } from './sections/console.ts';
import { limits } from './sections/limits.ts';
import { listen } from './sections/listen.ts';
import { preview } from './sections/preview.ts';
import { durability, fullText, notifications, retention, store, watch, workers } from './sections/store.ts';
import { tracing } from './sections/tracing.ts';
import { formerSections } from './taken-out.ts';

/** `log`: contents and level of the log. */
const log = section('the log', () => ({
  level: oneOf('error', 'warn', 'info', 'debug').prefault('info').describe('The least severe level that is logged.'),
  requests: flag.prefault(false).describe('Whether each request is logged, at level `info`.'),
  format: oneOf('auto', 'json', 'text')
    .prefault('auto')
    .describe('Format of log lines: JSON, or readable text. `auto` selects text if stderr is a terminal.'),
})).register(schemaFacts, { input: 'LogSettings', output: 'LogConfig' });

/** `push`: how push notifications are delivered. */
const push = section('push notifications', () => ({
  maxAge: timeout
    .prefault('24h')
    .describe('Time for which delivery of a notification is attempted, counted from its event.'),
  timeout: timeout.prefault('15s').describe('Time within which a receiver must answer.'),
})).register(schemaFacts, { input: 'PushSettings', output: 'PushConfig' });

/** `registration`: agents that are registered at run time. */
const registration = section('the registration of agents', () => ({
  allow: flag
    .prefault(false)
    .describe('Whether callers with the scope `agents` may register agents while the gateway runs.'),
  approve: oneOf('always', 'changes', 'never')
    .prefault('always')
    .describe(
      'Cards that an operator must approve: `always` means every new card, `changes` all but the first card of an agent, `never` none.',
    ),
})).register(schemaFacts, { input: 'RegistrationSettings', output: 'RegistrationConfig' });

/** The limit is an hour, because orchestrators kill a process that takes longer. */
const atMostAnHour = duration('a duration of at most an hour, such as 10s, 500ms or 0s', (ms) => ms <= 3_600_000);

/** `shutdown`: how the gateway stops. */
const shutdown = section('how to stop', () => ({
  delay: atMostAnHour
    .prefault('0s')
    .describe(
      'Time for which the gateway still accepts work after it reports that it is not ready, so that load balancers notice.',
    ),
  drain: atMostAnHour.prefault('10s').describe('Time within which running work must then end.'),
})).register(schemaFacts, { input: 'ShutdownSettings', output: 'ShutdownConfig' });

const target = textThat(expectedAllowed, (line) => readAllowed(line) !== undefined);

/** `outbound`: targets chosen by callers or agents that the URL guard allows. */
const outbound = section('what may be called', () => ({
  allow: z
    .array(target, anything('a list of hosts and addresses'))
    .prefault([])
    .describe('Hosts, addresses and blocks of addresses, each with an optional port.'),
})).register(schemaFacts, { input: 'OutboundSettings', output: 'OutboundConfig' });

const sections = {
  listen: listen.prefault({}).describe('Where and how the gateway listens.'),
  store,
  notifications,
  durability,
  fullText,
  retention: retention.prefault({}).describe('Ages after which data is deleted.'),
  auth: auth.prefault({}).describe('How callers authenticate.'),
  limits: limits.prefault({}).describe('Limits for each caller, each request, and the memory of the process.'),
  cards: cards.prefault({}).describe('Contents of agent cards, and their signatures.'),
  preview,
  defaultAgent: text("an agent's name")
    .optional()
    .describe('Name of the agent that also answers at the root. Default: the only agent, if there is just one.'),
  agents: agents.optional().describe('Agents by name.'),
  registration: registration.prefault({}).describe('Agents that are registered while the gateway runs.'),
  ...moduleSections,
  outbound: outbound.prefault({}).describe('Targets chosen by callers or agents that the gateway may call.'),
  push: push.prefault({}).describe('How push notifications are delivered.'),
  shutdown: shutdown.prefault({}).describe('How the gateway stops.'),
  log: log.prefault({}).describe('Contents and level of the log.'),
  tracing: tracing
    .optional()
    .describe('Receiver of traces, metrics and log lines. Default: the environment variables of OpenTelemetry decide.'),
  pages: ownPages,
  console: consolePages,
};

/**
 * The content of a configuration file with its defaults, before paths are resolved. Values from environment variables
 * are strings, so numbers and booleans are also read from strings.
 */
export const fileSchema = section('a configuration', () => ({ ...sections, workers, watch }), formerSections)
  .describe('Settings of a gateway, all of them optional.')
  .register(schemaFacts, { input: 'FileSettings' });

/** The settings of a program, which may define agents and hooks in code. */
export const settingsSchema = section(
  'settings',
  () => ({
    ...sections,
    auth: authOfProgram.prefault({}),
    agents: agentsOfProgram.default({}),
  }),
  formerSections,
);

/** Options for reading a configuration without compiling its schema, which takes longer than reading it once. */
export const readOnce = { jitless: true } as const;

/** The content of a configuration file, or the settings of a program, with defaults. */
export type ConfigInput = z.output<typeof fileSchema> | z.output<typeof settingsSchema>;
