import * as z from 'zod';
import { trimEnd } from '../core/model/text.ts';
import { parseDuration } from './scalars.ts';
import { anything, oneOf, positive, quantity, section, text, textAs, variants } from './schema-parts.ts';
import { auth } from './sections/auth-schema.ts';
import { agentCards } from './sections/cards-schema.ts';
import { readHost } from './sections/hosts.ts';
import { knowledge } from './sections/knowledge-schema.ts';
import { limits } from './sections/limits-schema.ts';
import { log } from './sections/log-schema.ts';
import { mcp } from './sections/mcp-schema.ts';
import { outbound } from './sections/outbound-schema.ts';
import { push } from './sections/push-schema.ts';
import { shutdown } from './sections/shutdown-schema.ts';
import { cards } from './sections/signing-schema.ts';
import { expectedStore, storeFault } from './sections/store.ts';
import { tracing } from './sections/tracing-schema.ts';
import { upstream } from './sections/upstream-schema.ts';

/**
 * What a configuration file may hold, before defaults and before paths are resolved. Values that came from the
 * environment are text, so numbers and switches are read from text too.
 */

const age = quantity('a duration such as 30d or 12h, or "forever"', (value) =>
  value === 'forever'
    ? Number.POSITIVE_INFINITY
    : typeof value === 'string'
      ? positive(parseDuration(value))
      : undefined,
);

const port = quantity('an integer from 0 to 65535', (value) => {
  const number = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 65_535 ? number : undefined;
});

const publicUrl = z
  .string(anything('an http or https URL, such as https://agents.example.com'))
  .transform((value, cx) => {
    const url = URL.parse(value);
    const plain = url !== null && !url.search && !url.hash && !url.username && !url.password;
    if (plain && (url.protocol === 'http:' || url.protocol === 'https:')) return trimEnd(url.href, '/');
    cx.addIssue({
      code: 'custom',
      message: 'expected an http or https URL without user, query or fragment, such as https://agents.example.com',
    });
    return z.NEVER;
  });

const expectedOrigin = 'an origin (scheme, host and port only) such as https://console.example.com, or "*" for all';

const origin = text(expectedOrigin).refine(
  (value) => value === '*' || URL.parse(value)?.origin === value,
  anything(expectedOrigin),
);

const store = text(expectedStore).superRefine((value, cx) => {
  const message = storeFault(value);
  if (message !== undefined) cx.addIssue({ code: 'custom', message });
});

const expectedHost = 'a host such as weather.example.com, with a port where it is meant on that port only';

const hosts = z.array(textAs(expectedHost, readHost), anything('a list of hosts'));

/** The keys of agents of every kind. */
const every = { hosts: hosts.optional(), cards: agentCards.optional(), knowledge };

const kinds = {
  reference: section('a reference agent', { kind: z.literal('reference'), ...every }),
  module: section('a module agent', {
    kind: z.literal('module'),
    path: text('the path of a JavaScript or TypeScript module, such as ./my-agent.ts'),
    ...every,
  }),
  upstream: section('an upstream agent', { kind: z.literal('upstream'), ...upstream, ...every }),
  mcp: section('an agent of tools', { kind: z.literal('mcp'), ...mcp, ...every }),
};

const agent = variants('kind', 'an agent', kinds);

/** A configuration file. */
export const fileSchema = section('a configuration', {
  listen: section('where to listen', {
    host: text('a host name or an address').optional(),
    port: port.optional(),
    publicUrl: publicUrl.optional(),
    cors: z.array(origin, anything('a list of origins')).optional(),
    tls: section('TLS', {
      cert: text('the path of a PEM file'),
      key: text('the path of a PEM file'),
      clientCa: text('the path of a PEM file').optional(),
    }).optional(),
  }).optional(),
  store: store.optional(),
  durability: oneOf('process', 'full').optional(),
  retention: section('retention', { tasks: age.optional(), changes: age.optional() }).optional(),
  auth: auth.optional(),
  limits: limits.optional(),
  cards: cards.optional(),
  defaultAgent: text("an agent's name").optional(),
  agents: z.record(z.string(), agent, anything('agents by their names')).optional(),
  outbound: outbound.optional(),
  push: push.optional(),
  shutdown: shutdown.optional(),
  log: log.optional(),
  tracing: tracing.optional(),
});

/** A configuration file's content, its values read but nothing defaulted. */
export type ConfigFile = z.output<typeof fileSchema>;
