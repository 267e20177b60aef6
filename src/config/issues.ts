import type { $ZodError, $ZodIssue } from 'zod/v4/core';

/** A problem that a schema found, with the path of its key. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Returns the issues that a schema found, with a separate issue for each unknown key. */
export const splitIssues = ({ issues }: $ZodError): Issue[] => issues.flatMap(splitIssue);

function splitIssue(issue: $ZodIssue): Issue[] {
  if (issue.code === 'invalid_union') {
    // Of several forms, the intended one is that in which only a part is wrong.
    const partly = issue.errors.find((form) =>
      form.some(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
    );
    const inside = partly?.flatMap(splitIssue).map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
    if (inside) return inside;
  }
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }];
  const messages = issue.message.split('\n');
  return issue.keys.map((key, index) => ({ path: [...issue.path, key], message: messages[index] ?? 'unknown key' }));
}
