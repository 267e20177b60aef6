import { api as canonical } from '../../core/model/a2a.ts';
import type { Api } from '../../gen/api.ts';
import { versions as rows } from '../../gen/versions.ts';
import { narrowed } from './narrowed.ts';

/**
 * Returns the versions of A2A 1.x, newest first, each with its part of the API.
 *
 * @param api the generated code of the canonical form
 */
export const versionsOf = (api: Api) => rows.map((row) => ({ ...row, api: narrowed(api, row) }));

/** The versions of A2A 1.x that this package has code for. */
export const versions = versionsOf(canonical);
