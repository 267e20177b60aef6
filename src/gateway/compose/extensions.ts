import type { Config } from '../../config/types.ts';
import { admin } from '../../extensions/admin/module.ts';
import { calls } from '../../extensions/calls/module.ts';
import { consolePages } from '../../extensions/console-pages/module.ts';
import { erasure } from '../../extensions/erasure/module.ts';
import { generations } from '../../extensions/generations/module.ts';
import { guards } from '../../extensions/guards/module.ts';
import { knowledge } from '../../extensions/knowledge/module.ts';
import { mcp } from '../../extensions/mcp/module.ts';
import type { Module } from '../../extensions/module.ts';
import { policies } from '../../extensions/policies/module.ts';
import { questions } from '../../extensions/questions/module.ts';
import { recordings } from '../../extensions/recordings/module.ts';
import { registration } from '../../extensions/registration/module.ts';
import { slack } from '../../extensions/slack/module.ts';
import { stops } from '../../extensions/stops/module.ts';
import { trees } from '../../extensions/trees/module.ts';

/** The optional parts of the gateway, in the order in which they are asked. No other file of the gateway imports them. */
export const extensions: readonly Module[] = [
  trees,
  knowledge,
  mcp,
  policies,
  stops,
  questions,
  slack,
  recordings,
  // Inside of recordings, which must not contain answers before they are judged.
  guards,
  registration,
  generations,
  calls,
  erasure,
  admin,
  consolePages,
];

/** Checks the parts that modules have in a configuration, and opens nothing. Rejects with a ConfigError. */
export async function checkExtensions(config: Config): Promise<void> {
  for (const module of extensions) await module.check?.(config);
}
