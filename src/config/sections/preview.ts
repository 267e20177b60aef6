import * as z from 'zod';
import { previews } from '../../dialects/registry.ts';
import type { ReportProblem } from '../context.ts';
import { anything, textThat } from '../schema-parts.ts';
import type { AgentConfig } from './agents.ts';

const known = previews.length === 0 ? 'no name, because no dialect is a preview' : previews.join(' or ');
const isKnown = (name: string): boolean => previews.some((preview) => preview === name);

/** `preview`: dialects to serve whose specification is not published yet. */
export const preview = z
  .array(textThat(known, isKnown), anything(`a list of ${known}`))
  .prefault([])
  .describe('Dialects to serve whose specification is not published yet.');

/** Reports agents whose dialect is a preview that the configuration does not enable. */
export function checkPreviews(
  served: readonly string[],
  agents: ReadonlyMap<string, AgentConfig>,
  report: ReportProblem,
): void {
  for (const [name, agent] of agents) {
    if (agent.kind !== 'upstream' || !isKnown(agent.dialect) || served.includes(agent.dialect)) continue;
    report(['agents', name, 'dialect'], `${agent.dialect} is a preview: add preview: [${agent.dialect}]`);
  }
}
