import { admin } from '../extensions/admin.ts';
import { consolePages } from '../extensions/console.ts';
import { knowledge } from '../extensions/knowledge.ts';
import { mcp } from '../extensions/mcp.ts';
import { policies } from '../extensions/policies.ts';
import { questions } from '../extensions/questions.ts';
import type { ExtensionServer } from '../http/server.ts';
import type { ServiceHost } from './build.ts';
import type { Extension } from './extension.ts';

/** The optional parts of the gateway. No other file imports them. */
export const extensions: readonly Extension<ServiceHost, ExtensionServer>[] = [
  ...[knowledge, mcp, policies, questions, admin],
  consolePages,
];
