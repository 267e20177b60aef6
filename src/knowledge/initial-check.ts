import type { KGStatement, KnowledgeSpace } from '../core/model/knowledge.ts';
import type { Store } from '../core/ports/store.ts';
import { TooMuchToJudge } from './alignment/rule.ts';
import type { Alignment } from './ports.ts';
import { everyStatement, importStatements, inBatches } from './rdf/index.ts';

/** What is to be said against statements. */
export interface CheckResult {
  /** They do not fit. */
  readonly rejected?: string;
  /** Some could not be judged. */
  readonly unsure?: string;
}

/** Statements that are judged together. */
const batch = 200;

const space: KnowledgeSpace = { agent: 'scratch', tenant: '' };

/**
 * Judges statements as the only ones there are: what is said of a node may be anywhere in a file.
 *
 * @param scratch an empty store of its own, not open yet; it is closed again
 */
export async function checkStatements(
  statements: AsyncIterable<KGStatement>,
  faultsOf: NonNullable<Alignment['faultsOf']>,
  scratch: Store,
): Promise<CheckResult | undefined> {
  await scratch.open();
  try {
    const { knowledge } = scratch;
    await importStatements(knowledge, space, statements);
    let undecided: string | undefined;
    for await (const some of inBatches(everyStatement(knowledge, space), batch)) {
      // A store in memory never waits for anything: others get their turn of the loop here.
      await new Promise((resolve) => setImmediate(resolve));
      try {
        const rejected = await faultsOf(knowledge, space, some);
        if (rejected !== undefined) return { rejected };
      } catch (thrown) {
        if (!(thrown instanceof TooMuchToJudge)) throw thrown;
        undecided = `some statements of the imported knowledge files could not be validated: ${thrown.message}`;
      }
    }
    return undecided === undefined ? undefined : { unsure: undecided };
  } finally {
    await scratch.close();
  }
}
