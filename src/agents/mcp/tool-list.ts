import { hopsMeta } from '../../core/model/call.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { isHarmless, type Tool } from './tool-server.ts';

/** The longest name that counts as one, in characters. */
const longestName = 256;

/** Levels of a schema that is read: a card that it stands in has more of them. */
const deepestSchema = 48;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const object = (value: unknown): JsonObject | undefined =>
  isObject(value) && isHarmless(value, deepestSchema) ? value : undefined;

function readTool(value: unknown): Tool[] {
  if (!isObject(value)) return [];
  const name = text(value.name);
  if (name === undefined || name.length > longestName) return [];
  const { annotations, execution, _meta } = value;
  const gateways = isObject(_meta) ? _meta[hopsMeta] : undefined;
  const facts = {
    // MCP has had titles in two places.
    title: text(value.title) ?? (isObject(annotations) ? text(annotations.title) : undefined),
    description: text(value.description),
    inputSchema: object(value.inputSchema),
    outputSchema: object(value.outputSchema),
    annotations: object(annotations),
    taskOnly: isObject(execution) && execution.taskSupport === 'required' ? (true as const) : undefined,
    gateways: typeof gateways === 'number' ? gateways : undefined,
  };
  return [{ name, ...Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) }];
}

/** The tools of one page of `tools/list`. What is no tool is passed over, so that the others can be used. */
export const readTools = ({ tools }: JsonObject): Tool[] => (Array.isArray(tools) ? tools.flatMap(readTool) : []);
