/** `receiverd/m3u`: playlists as set-top boxes write them. See docs/embedding.md. */
export * from '../m3u/playlist.ts';
