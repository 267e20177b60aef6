import type * as z from 'zod';
import { section, text } from './schema-parts.ts';
import { agents, agentsOfProgram } from './sections/agents.ts';
import { auth, authOfProgram } from './sections/auth.ts';
import { cards } from './sections/cards.ts';
import { consolePages, ownPages } from './sections/console.ts';
import { limits } from './sections/limits.ts';
import { listen } from './sections/listen.ts';
import { log } from './sections/log.ts';
import { outbound } from './sections/outbound.ts';
import { preview } from './sections/preview.ts';
import { push } from './sections/push.ts';
import { shutdown } from './sections/shutdown.ts';
import { durability, retention, store } from './sections/store.ts';
import { tracing } from './sections/tracing.ts';

const sections = {
  listen: listen.prefault({}),
  store,
  durability,
  retention: retention.prefault({}),
  auth: auth.prefault({}),
  limits: limits.prefault({}),
  cards: cards.prefault({}),
  /** Dialects to serve whose specification is not published yet. */
  preview,
  /** Name of the agent that also answers at the root. */
  defaultAgent: text("an agent's name").optional(),
  agents: agents.optional(),
  outbound: outbound.prefault({}),
  push: push.prefault({}),
  shutdown: shutdown.prefault({}),
  log: log.prefault({}),
  tracing: tracing.optional(),
  /** Whether the gateway serves its own pages, or which ones. */
  pages: ownPages,
  /** Whether and how the gateway serves the console. */
  console: consolePages,
};

/**
 * A configuration file, with its defaults and before paths are resolved. Values that came from the environment are text,
 * so numbers and switches are read from text too.
 */
export const fileSchema = section('a configuration', sections);

/** The settings of a program, which may have agents and hooks in code. */
export const settingsSchema = section('settings', {
  ...sections,
  auth: authOfProgram.prefault({}),
  agents: agentsOfProgram.default({}),
});

/** The content of a configuration file, or the settings of a program, with defaults. */
export type ConfigInput = z.output<typeof fileSchema> | z.output<typeof settingsSchema>;
