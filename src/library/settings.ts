/**
 * The settings of a receiver. For the package, scripts/package.mjs writes them as plain types, without the schema
 * library.
 */
export type { ConfigurationPart as Settings } from '../config/config.ts';
