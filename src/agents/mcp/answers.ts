import { isJSONRPCErrorResponse, isJSONRPCResultResponse } from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '../../core/model/json.ts';
import { ToolFailure } from './failures.ts';

/** An answer, and what is wrong with it, if the SDK would take no notice of it. */
export type Answer =
  | { readonly id: number; readonly failure?: ToolFailure }
  | { readonly id: undefined; readonly failure: ToolFailure };

/**
 * What a message answers; undefined where it is none.
 *
 * @param newest the id of the newest request
 */
export function readAnswer(message: unknown, newest: number): Answer | undefined {
  if (!isObject(message) || 'method' in message || !('id' in message)) return undefined;
  const { result } = message;
  // Some servers give ids back as text, and the SDK reads them.
  const id = typeof message.id === 'string' && message.id !== '' ? Number(message.id) : message.id;
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id > newest) {
    const failure = new ToolFailure('invalidResponse', 'The server answered with an id that it was not asked with');
    return { id: undefined, failure };
  }
  if (isJSONRPCErrorResponse(message) || isJSONRPCResultResponse(message)) return { id };
  const failure =
    result !== undefined && !isObject(result)
      ? new ToolFailure('invalidResult', 'The result is not an object')
      : new ToolFailure('invalidResponse', 'The server answered with something that is not JSON-RPC');
  return { id, failure };
}
