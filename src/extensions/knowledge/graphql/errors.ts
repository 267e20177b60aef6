import { GraphQLError } from 'graphql';
import { A2AError, queryErrorsType } from '../../../core/model/errors.ts';
import type { QueryErrors } from '../../../gen/knowledge-v1/types.ts';

/** Kind of operation that a document must contain. */
export type OperationPurpose = 'query' | 'subscription';

const kinds = { query: 'knowledgeQuery', subscription: 'knowledgeSubscription' } as const;

/** Maximum number of reported errors; there may be one for every node of a result. */
const maxReported = 20;

const asDetail = ({ message, locations, path }: GraphQLError): QueryErrors['errors'][number] => ({
  message,
  ...(locations && { locations: locations.map(({ line, column }) => ({ line, column })) }),
  ...(path && { path: [...path] }),
});

/** Returns the error for an invalid query, with locations. */
export function queryError(purpose: OperationPurpose, errors: readonly GraphQLError[]): A2AError {
  const first = errors[0];
  const place = first?.locations?.[0];
  const where = place ? ` (line ${place.line}, column ${place.column})` : '';
  const detail: QueryErrors = { errors: errors.slice(0, maxReported).map(asDetail) };
  return new A2AError(kinds[purpose], first && `${first.message}${where}`, {
    details: [{ '@type': queryErrorsType, ...detail }],
  });
}

/** Runs work and converts its GraphQLErrors to the error for an invalid query. */
export function graphqlErrors<T>(purpose: OperationPurpose, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof GraphQLError ? queryError(purpose, [error]) : error;
  }
}
