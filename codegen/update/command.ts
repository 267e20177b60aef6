import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Progress } from './progress.ts';
import { formatReport } from './report.ts';
import { RefusedUpdate, specUpdate, stableVersion, type UpdateReport, updatable } from './update.ts';

const usage = `usage: npm run spec:update -- --proto FILE [--schema FILE] [options]

Takes in a new version of the A2A proto: checks it, generates the code, compiles, and reports what changes,
what older dialects lose, and what is left to write. All is done in a copy; nothing changes when it is refused.

  --proto FILE    the new proto (specification/a2a.proto of the A2A project)
  --schema FILE   its JSON Schema bundle. Without it, the bundle of the project stays if it fits the proto;
                  if not, it is generated from the proto
  --target NAME   the version of A2A 1.x to update: ${updatable.join(' or ')}. Default: ${stableVersion}, which is published
  --dry-run       report only
  --breaking      take in removed, renamed and retyped names, too
  --json          print the report as JSON
  --help          print this

Exit codes: 0 adopted, or would be; 1 refused or failed, nothing changed; 2 wrong arguments.
docs/reference/spec-updates.md says more.`;

const options = {
  proto: { type: 'string' },
  schema: { type: 'string' },
  target: { type: 'string', default: stableVersion },
  'dry-run': { type: 'boolean', default: false },
  breaking: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Outputs of a command. */
export interface Printers {
  /** Writes results. */
  readonly out: (text: string) => void;
  /** Writes the reason for a failure. */
  readonly err: (text: string) => void;
  /** Writes the names of steps that take long. Default: they are not written. */
  readonly progress?: (line: string) => void;
}

/**
 * Runs `npm run spec:update`.
 *
 * @param root project to update
 * @returns the exit code
 */
export async function runCommand(
  args: readonly string[],
  root: string,
  { out, err, progress }: Printers,
): Promise<number> {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    err(`${messageOf(error)}\n\n${usage}`);
    return 2;
  }
  const { proto, schema, target, breaking, json, 'dry-run': dryRun } = values;
  if (values.help) {
    out(usage);
    return 0;
  }
  if ((proto === undefined && schema === undefined) || !updatable.includes(target)) {
    err(usage);
    return 2;
  }
  try {
    const report = await specUpdate({
      root,
      target,
      ...(proto !== undefined && { proto: resolve(proto) }),
      ...(schema !== undefined && { schema: resolve(schema) }),
      dryRun,
      breaking,
      ...(progress && { progress: new Progress(progress) }),
    });
    out(json ? asJson(report) : `${formatReport(report)}\n\n${outcome(report)}`);
    return 0;
  } catch (error) {
    const report = error instanceof RefusedUpdate ? error.report : undefined;
    if (json) out(asJson(report ?? { result: 'failed', error: messageOf(error) }));
    else {
      if (report) out(`${formatReport(report)}\n`);
      err(`${messageOf(error)}\nNothing was changed.`);
    }
    return 1;
  }
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options }).values;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const asJson = (value: object): string => JSON.stringify(value, undefined, 2);

function outcome({ result, dryRun }: UpdateReport): string {
  if (dryRun) return 'Nothing was changed (--dry-run).';
  return result === 'unchanged'
    ? 'Nothing was changed.'
    : 'The update has been adopted. Run npm test to see what is left to do.';
}
