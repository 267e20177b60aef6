import type { JsonObject } from '../../core/model/json.ts';
import { type Tracing, traced } from '../../core/telemetry/tracing.ts';
import { ToolFailure } from './failures.ts';
import type { NamedServer } from './route.ts';
import type { ToolCall } from './tool-server.ts';

/** Calls a tool as a span, named and described as the semantic conventions for MCP want it. */
export function callTraced(tracing: Tracing, { id, server }: NamedServer, call: ToolCall): Promise<JsonObject> {
  const { name } = call;
  return traced(
    tracing,
    { name: `tools/call ${name}`, kind: 'client', parent: call },
    () => ({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'a2a.mcp.server': id,
    }),
    async (span) => {
      const result = await server.call({ ...call, ...span.trace });
      // What a tool says of itself is no failure of the protocol, and one of the call all the same.
      if (result.isError === true) span.fail('tool_error');
      return result;
    },
    (thrown) => (call.signal.aborted ? 'canceled' : ToolFailure.from(thrown).condition),
  );
}
