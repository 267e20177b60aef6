import { missingPackages } from '../../config/packages.ts';
import { configOf, readCases, readSection, runCases } from '../../extensions/case-file.ts';
import { UsageError } from '../exit-code.ts';
import type { Output } from '../output.ts';

/**
 * `a2a-gateway policy test`: decides each case of a file by the policies of a configuration, and fails where one is decided
 * otherwise. Nothing else of the configuration is read, so that its secrets are not needed.
 */
export async function policyTest(file: string, options: { readonly config?: string }, output: Output): Promise<void> {
  const missing = missingPackages('cel');
  if (missing !== undefined) throw new UsageError(`policy test ${missing}`);
  const { caseOf, failureOf, readPolicies } = await import('../../extensions/policies/cases.ts');
  const { config, cases } = await readCases(file, caseOf);
  const policies = await readSection(configOf(file, config, options.config), 'policies', readPolicies);
  await runCases(cases, (one) => failureOf(one, policies), output);
}
