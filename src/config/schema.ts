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

/** `log`: what is logged. */
const log = section('the log', () => ({
  level: oneOf('error', 'warn', 'info', 'debug').prefault('info').describe('The least severe level that is logged.'),
  requests: flag.prefault(false).describe('Whether each request is logged, at level `info`.'),
  format: oneOf('auto', 'json', 'text')
    .prefault('auto')
    .describe('Lines of JSON, or lines for people. `auto`: for people where stderr is a terminal.'),
})).register(schemaFacts, { input: 'LogSettings', output: 'LogConfig' });

/** `push`: how push notifications are delivered. */
const push = section('push notifications', () => ({
  maxAge: timeout.prefault('24h').describe('How long delivery of a notification is attempted, counted from its event.'),
  timeout: timeout.prefault('15s').describe('How long a receiver may take to answer.'),
})).register(schemaFacts, { input: 'PushSettings', output: 'PushConfig' });

/** `registration`: agents that are registered at run time. */
const registration = section('the registration of agents', () => ({
  allow: flag
    .prefault(false)
    .describe('Whether callers with the scope `agents` may register agents while the gateway runs.'),
  approve: oneOf('always', 'changes', 'never')
    .prefault('always')
    .describe(
      'Which cards wait until an operator approves them: `always` each new one, `changes` all but the first of an agent, `never` none.',
    ),
})).register(schemaFacts, { input: 'RegistrationSettings', output: 'RegistrationConfig' });

/** Orchestrators kill a process that takes longer. */
const atMostAnHour = duration('a duration of at most an hour, such as 10s, 500ms or 0s', (ms) => ms <= 3_600_000);

/** `shutdown`: how the gateway stops. */
const shutdown = section('how to stop', () => ({
  delay: atMostAnHour
    .prefault('0s')
    .describe('How long it still accepts work after it reports that it is not ready, so that load balancers notice.'),
  drain: atMostAnHour.prefault('10s').describe('How long running work then has to end.'),
})).register(schemaFacts, { input: 'ShutdownSettings', output: 'ShutdownConfig' });

const target = textThat(expectedAllowed, (line) => readAllowed(line) !== undefined);

/** `outbound`: targets chosen by callers or agents that the URL guard lets through. */
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
  retention: retention.prefault({}).describe('After which time data is deleted.'),
  auth: auth.prefault({}).describe('How callers authenticate.'),
  limits: limits.prefault({}).describe('Limits of one caller, of one request, and of the memory of the process.'),
  cards: cards.prefault({}).describe('Contents of agent cards, and their signatures.'),
  preview,
  defaultAgent: text("an agent's name")
    .optional()
    .describe('Name of the agent that also answers at the root. Default: the only agent, where there is one.'),
  agents: agents.optional().describe('Agents by name.'),
  registration: registration.prefault({}).describe('Agents that are registered while the gateway runs.'),
  ...moduleSections,
  outbound: outbound.prefault({}).describe('Targets chosen by callers or agents that the gateway may call.'),
  push: push.prefault({}).describe('How push notifications are delivered.'),
  shutdown: shutdown.prefault({}).describe('How the gateway stops.'),
  log: log.prefault({}).describe('Contents and level of the log.'),
  tracing: tracing
    .optional()
    .describe(
      'Receivers of traces, metrics and log lines. Default: as the environment variables of OpenTelemetry say.',
    ),
  pages: ownPages,
  console: consolePages,
};

/**
 * A configuration file, with its defaults and before paths are resolved. Values that came from the environment are text,
 * so numbers and switches are read from text too.
 */
export const fileSchema = section('a configuration', () => ({ ...sections, workers, watch }), formerSections)
  .describe("A gateway's settings, all of them optional.")
  .register(schemaFacts, { input: 'FileSettings' });

/** The settings of a program, which may have agents and hooks in code. */
export const settingsSchema = section(
  'settings',
  () => ({
    ...sections,
    auth: authOfProgram.prefault({}),
    agents: agentsOfProgram.default({}),
  }),
  formerSections,
);

/** Options for reading a configuration: it is read once, and compiling its schema takes longer than that. */
export const readOnce = { jitless: true } as const;

/** The content of a configuration file, or the settings of a program, with defaults. */
export type ConfigInput = z.output<typeof fileSchema> | z.output<typeof settingsSchema>;
