/** The command that the kit runs for each client scenario: it asks the process of the tests to carry the scenario out. */
import type { ClientRun } from './gateway-as-client.ts';

const [runner = '', url = ''] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context } = process.env;
const body: ClientRun = { url, scenario, ...(context !== undefined && { context: JSON.parse(context) }) };
await fetch(runner, { method: 'POST', body: JSON.stringify(body) });
