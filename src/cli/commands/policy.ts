import { missingPackages } from '../../config/packages.ts';
import { configOf, readCases, readSection, runCases } from '../../extensions/case-file.ts';
import { UsageError } from '../exit-code.ts';
import type { Output } from '../output.ts';

/**
 * `a2a-gateway policy test`: applies the policies of a configuration to each case of a file, and fails if a decision
 * differs from the expected one. Only the policies are read, so the secrets of the configuration are not needed.
 */
export async function policyTest(file: string, options: { readonly config?: string }, output: Output): Promise<void> {
  const missing = missingPackages('cel');
  if (missing !== undefined) throw new UsageError(`policy test ${missing}`);
  const { caseOf, failureOf, readPolicies } = await import('../../extensions/policies/cases.ts');
  const { config, cases } = await readCases(file, caseOf);
  const policies = await readSection(configOf(file, config, options.config), 'policies', readPolicies);
  await runCases(cases, (one) => failureOf(one, policies), output);
}
