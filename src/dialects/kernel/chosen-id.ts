import { A2AError } from '../../core/model/errors.ts';

const chosenId = /^[A-Za-z0-9_.~-]{1,128}$/;

/**
 * An id that its caller may give to a task.
 *
 * @param field that holds the id, for the error
 * @throws A2AError `invalidParams` for any other
 */
export function requireChosenId(id: string, field: string): void {
  if (chosenId.test(id)) return;
  const description = 'must be 1 to 128 letters, digits and any of _ . ~ -';
  throw A2AError.invalidParams(undefined, [{ field, description }]);
}
