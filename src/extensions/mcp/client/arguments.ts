import { reasonOf, type SchemaCheck, schemaCheck } from '../../../agents/schema-check.ts';
import type { FieldViolation } from '../../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { Tool } from './tool-server.ts';

/**
 * Checks arguments against the input schemas of tools, and returns the violations. Schemas are compiled at their first use.
 * An unusable one checks nothing: the server has to.
 */
export function createArgumentCheck(logger: Pick<Logger, 'warn'>) {
  /** By the listed tool: another list has other tool objects. */
  const compiled = new WeakMap<Tool, SchemaCheck>();
  const names = { root: 'arguments', property: 'an argument of this tool' };
  return (tool: Tool, given: JsonObject): readonly FieldViolation[] => {
    if (!isObject(tool.inputSchema)) return [];
    try {
      const check = compiled.get(tool) ?? schemaCheck(tool.inputSchema, names);
      compiled.set(tool, check);
      return check(given);
    } catch (thrown) {
      compiled.set(tool, () => []);
      const text = 'cannot use the input schema of an MCP tool; arguments are checked by its server only';
      logger.warn({ tool: tool.name, reason: reasonOf(thrown) }, text);
      return [];
    }
  };
}
