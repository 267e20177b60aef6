import { availableParallelism } from 'node:os';
import { startGatewayAsClient } from './gateway-as-client.ts';
import { startGatewayAsServer } from './gateway-as-server.ts';
import { type Check, listScenarios, runScenario, runSuite, type Scenario, versions } from './kit.ts';
import { idOf, readKnown } from './known-failures.ts';

export interface RunOptions {
  /** Part of `SIDE VERSION NAME` of the scenarios to run. Default: all that apply. */
  readonly only?: string | undefined;
  readonly onResult?: (scenario: Scenario, checks: readonly Check[]) => void;
  /** Gets a line for each call of a tool that the gateway makes as client. */
  readonly onCall?: (line: string) => void;
}

/**
 * Runs scenarios of the kit against gateways of this process: all of a side and a version in one program, then those alone that
 * the program leaves out or that did not go as listed, as many at a time as there are cores.
 */
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
  const targetOf = (scenario: Scenario): string =>
    scenario.side === 'server' ? server.urlFor(scenario) : client.command;
  const isListed = (scenario: Scenario, checks: readonly Check[]): boolean =>
    compare(new Map([[scenario, checks]])).unexpected.length === 0;
  const run = async (scenario: Scenario): Promise<void> => {
    results.set(scenario, await runScenario(scenario, targetOf(scenario)));
  };
  const runTogether = async (side: Scenario['side'], version: string): Promise<void> => {
    const target = targetOf({ side, version, name: '' });
    const suite = await runSuite(side, version, target);
    for (const scenario of [...waiting]) {
      const checks = suite.get(scenario.name);
      if (scenario.side !== side || scenario.version !== version || targetOf(scenario) !== target) continue;
      if (checks === undefined || !isListed(scenario, checks)) continue;
      results.set(scenario, checks);
      waiting.splice(waiting.indexOf(scenario), 1);
    }
  };
  const worker = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) await run(scenario);
  };
  try {
    if (only === '') {
      const inTurn = async (side: Scenario['side']): Promise<void> => {
        for (const version of versions) await runTogether(side, version);
      };
      await Promise.all([inTurn('server'), inTurn('client')]);
    }
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
    for (const [scenario, checks] of results) {
      // The kit waits half a second for some answers, which is short on a machine with more to do.
      if (!isListed(scenario, checks)) await run(scenario);
      onResult?.(scenario, results.get(scenario) ?? []);
    }
    return results;
  } finally {
    await server.close();
    await client.close();
  }
}
