import { readAgentList } from '../agent-list.ts';
import type { Output } from '../output.ts';
import { type ConnectionFlags, connectOptions } from '../target.ts';

export interface AgentsOptions extends ConnectionFlags {
  readonly json?: boolean;
}

/** `a2a-gateway agents`: lists the agents of a gateway that the caller may call. */
export async function agents(target: string, options: AgentsOptions, output: Output): Promise<void> {
  const found = await readAgentList(target, await connectOptions(options, output));
  if (options.json === true) {
    output.print(`${JSON.stringify(found, undefined, 2)}\n`);
    return;
  }
  const rows = found.map(({ name, url = '', title = '', description = '' }) => {
    const about = [title, description].filter(Boolean).join(': ');
    return [{ text: name, color: 'cyan' } as const, url, about];
  });
  output.table(['agent', 'base URL', 'description'], rows);
  if (found.length === 0) output.note('no agents');
}
