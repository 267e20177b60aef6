/**
 * Gateways whose modules are loaded by Node itself, not by the test runner. Each message is a scenario: files, and then what to
 * write before each reload. The answer is what the agents said after each.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect } from '../../../src/client/index.ts';
import { loadConfig } from '../../../src/config/index.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { silent } from '../../support/core.ts';

/** Texts by paths; `link:TARGET` is a symbolic link. */
type Files = Readonly<Record<string, string>>;

/** Observations after a start or a reload. */
export interface Observed {
  /** Answer of each agent. */
  readonly said: readonly string[];
  readonly changed?: readonly string[];
  readonly error?: string;
}

export interface Scenario {
  /** The agents' modules. */
  readonly agents: Readonly<Record<string, string>>;
  readonly files: Files;
  /** Files to write before each reload; `restart`: a gateway of its own instead. */
  readonly steps: readonly (Files | 'restart')[];
}

async function observe({ agents, files, steps }: Scenario): Promise<Observed[]> {
  const folder = mkdtempSync(join(tmpdir(), 'imports-'));
  const write = (all: Files): void => {
    for (const [name, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      const path = join(folder, name);
      if (text.startsWith('link:')) {
        rmSync(path, { force: true });
        symlinkSync(text.slice('link:'.length), path);
      } else writeFileSync(path, text);
    }
  };
  const lines = Object.entries(agents).map(([name, path]) => `  ${name}: { kind: module, path: ${path} }\n`);
  write({ ...files, 'gateway.yaml': `store: "memory:"\nagents:\n${lines.join('')}` });
  const config = () => loadConfig(join(folder, 'gateway.yaml'), { port: 0 });

  const start = async () => {
    const gateway = createGateway(await config(), { logger: silent });
    const { url } = await gateway.listen();
    const ask = async (name: string): Promise<string> => {
      const client = await connect(`${url}/${name}`);
      const { message } = await client.send('x');
      await client.close();
      return message?.parts[0]?.text ?? '';
    };
    const said = async (): Promise<string[]> => {
      const answers: string[] = [];
      for (const name of Object.keys(agents)) answers.push(await ask(name));
      return answers;
    };
    return { gateway, said };
  };

  let { gateway, said } = await start();
  const observed: Observed[] = [{ said: await said() }];
  for (const step of steps) {
    if (step === 'restart') {
      await gateway.close({ drainMs: 0 });
      ({ gateway, said } = await start());
      observed.push({ said: await said() });
      continue;
    }
    write(step);
    try {
      const { agents } = await gateway.reload(await config());
      observed.push({ changed: agents.changed, said: await said() });
    } catch (thrown) {
      observed.push({ error: (thrown as Error).message, said: await said() });
    }
  }
  await gateway.close({ drainMs: 0 });
  rmSync(folder, { recursive: true, force: true });
  return observed;
}

process.on('message', async (scenario: Scenario) => process.send?.(await observe(scenario)));
