/** In the package, scripts/package.mjs puts the same in plain types here: there is no schema library beside it. */
export type { ConfigurationPart as Settings } from '../config/config.ts';
