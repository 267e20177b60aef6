import { text as readAll } from 'node:stream/consumers';
import { A2AError, type RequestOf, type StreamingOperation, type UnaryOperation } from '../../client/index.ts';
import { suggestionFor } from '../../config/suggest.ts';
import { api, operations } from '../../core/model/a2a.ts';
import { parseExactly } from '../../wire/exact-numbers.ts';
import { parseAs } from '../../wire/validate.ts';
import { UsageError } from '../exit-code.ts';
import { jsonInput } from '../input.ts';
import type { Output } from '../output.ts';
import { type TargetOptions, withClient } from '../target.ts';

/**
 * `a2a-gateway call`: calls any operation with a request in JSON, and prints the response: one document, or one line
 * for each event of a stream. Integers beyond 2^53 stay exact.
 *
 * @param text the request; `-` reads it from stdin
 */
export async function call(
  target: string,
  name: string,
  text: string,
  options: TargetOptions,
  output: Output,
): Promise<void> {
  const operation = operations.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (!operation) {
    const names = operations.map((one) => one.name);
    throw new UsageError(`unknown operation '${name}'; ${suggestionFor(name, names)}`);
  }
  const given = text === '-' ? await readAll(process.stdin) : text;
  const request = requestOf(operation.request, jsonInput(given, 'REQUEST: ', '{"id":"1"}', parseExactly));
  await withClient(target, options, output, async (client) => {
    if (operation.streaming) {
      const events = client.stream(operation.name as StreamingOperation, request);
      for await (const event of events) output.print(`${JSON.stringify(event)}\n`);
    } else {
      const answer = await client.call(operation.name as UnaryOperation, request);
      output.print(`${JSON.stringify(answer, undefined, options.json === true ? undefined : 2)}\n`);
    }
  });
}

function requestOf(type: string, json: unknown): RequestOf<never> {
  try {
    return parseAs(api, type, json);
  } catch (thrown) {
    const { violations, message } = A2AError.from(thrown);
    const reasons = violations.map(({ field, description }) => `${field} ${description}`.trim());
    throw new UsageError(`REQUEST: ${reasons.join('; ') || message}`, { cause: thrown });
  }
}
