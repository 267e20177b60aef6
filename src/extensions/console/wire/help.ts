import { summaries as a2aSummaries, fieldTexts as a2aTexts } from '../../../gen/a2a-1.1/help.ts';
import { summaries as adminSummaries, fieldTexts as adminTexts } from '../../../gen/admin-v1/help.ts';
import { summaries as knowledgeSummaries, fieldTexts as knowledgeTexts } from '../../../gen/knowledge-v1/help.ts';

/** What the protos say about operations and fields. */

const summaries: Readonly<Record<string, string>> = { ...a2aSummaries, ...knowledgeSummaries, ...adminSummaries };
const texts = { ...a2aTexts, ...knowledgeTexts, ...adminTexts };

/** What an operation does; '' where it is not known. */
export const summaryOf = (operation: string): string => summaries[operation] ?? '';

/**
 * What a field means; undefined where it is not known.
 *
 * @param type full name of its message
 */
export const textOfField = (type: string, jsonName: string): string | undefined => texts[type]?.[jsonName] || undefined;
