import { availableParallelism } from 'node:os';
import { startGatewayAsClient } from './gateway-as-client.ts';
import { startGatewayAsServer } from './gateway-as-server.ts';
import { type Check, listScenarios, runScenario, type Scenario } from './kit.ts';
import { idOf, readKnown } from './known-failures.ts';

export interface RunOptions {
  /** Part of `SIDE VERSION NAME` of the scenarios to run. Default: all that apply. */
  readonly only?: string | undefined;
  readonly onResult?: (scenario: Scenario, checks: readonly Check[]) => void;
  /** Gets a line for each call of a tool that the gateway makes as client. */
  readonly onCall?: (line: string) => void;
}

/** Runs scenarios of the kit against gateways of this process, as many at a time as there are cores. */
export async function runScenarios({
  only = '',
  onResult,
  onCall,
}: RunOptions = {}): Promise<Map<Scenario, readonly Check[]>> {
  const { notApplicable, compare } = readKnown();
  const waiting = (await listScenarios()).filter(
    (scenario) => idOf(scenario).includes(only) && notApplicable(scenario) === undefined,
  );
  const server = await startGatewayAsServer();
  const client = await startGatewayAsClient(onCall);
  const results = new Map<Scenario, readonly Check[]>();
  const run = async (scenario: Scenario): Promise<void> => {
    const target = scenario.side === 'server' ? server.urlFor(scenario) : client.command;
    results.set(scenario, await runScenario(scenario, target));
  };
  const worker = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) await run(scenario);
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
    for (const [scenario, checks] of results) {
      // The kit waits half a second for some answers, which is short on a machine with more to do.
      if (compare(new Map([[scenario, checks]])).unexpected.length > 0) await run(scenario);
      onResult?.(scenario, results.get(scenario) ?? []);
    }
    return results;
  } finally {
    await server.close();
    await client.close();
  }
}
