#!/usr/bin/env node
/** The source of `dist/cli.js`, the command `receiverd` of a package. */
import { loadProgram } from './load-program.ts';

await loadProgram().commandLine.parseAsync();
