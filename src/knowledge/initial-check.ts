import type { KGStatement, KnowledgeSpace } from '../core/model/knowledge.ts';
import type { Store } from '../core/ports/store.ts';
import { TooMuchToJudge } from './alignment/rule.ts';
import type { Alignment } from './ports.ts';
import { everyStatement, importStatements, inBatches } from './rdf/index.ts';

/** Result of a check. */
export interface CheckResult {
  /** The violation, if there is one. */
  readonly rejected?: string;
  /** Why some statements could not be validated. */
  readonly unsure?: string;
}

/** Statements per validation. */
const batch = 200;

const space: KnowledgeSpace = { agent: 'scratch', tenant: '' };

/**
 * Validates statements as the only ones of a graph: statements about a node may be anywhere in a file.
 *
 * @param scratch an empty store that is not open yet; it is closed again
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
      // A store in memory never yields to the event loop.
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
