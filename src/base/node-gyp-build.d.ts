declare module 'node-gyp-build' {
  /** Loads the addon of the package in this folder. @throws Error if there is none, or it cannot be loaded */
  export default function load(folder: string): unknown;
}
