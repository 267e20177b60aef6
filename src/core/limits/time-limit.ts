import { createContext, Script } from 'node:vm';

const sandbox = createContext({ run: undefined });
const script = new Script('run()');

/**
 * Runs a function with a time limit in milliseconds. V8 interrupts even regular expressions, so that patterns from
 * outside cannot block the gateway. Throws an Error with the code ERR_SCRIPT_EXECUTION_TIMEOUT when the time is up.
 */
export function withTimeLimit<T>(timeout: number, run: () => T): T {
  sandbox.run = run;
  try {
    return script.runInContext(sandbox, { timeout }) as T;
  } finally {
    sandbox.run = undefined;
  }
}
