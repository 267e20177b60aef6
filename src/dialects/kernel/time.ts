import { A2AError } from '../../core/model/errors.ts';
import { isTimestamp } from '../../gen/checks.ts';
import { canonicalTimestamp } from '../../wire/values.ts';

/**
 * ISO 8601 with any offset, and UTC where there is none, as UTC with milliseconds; finer digits are cut off.
 *
 * @param field path of the text, for the error
 * @throws A2AError `invalidParams` when it is no time
 */
export function decodeTime(text: string, field: string): string {
  const canonical = canonicalTimestamp(text.trim());
  if (isTimestamp(canonical)) return canonical;
  throw A2AError.invalidParams(undefined, [{ field, description: 'must be a time in ISO 8601' }]);
}
