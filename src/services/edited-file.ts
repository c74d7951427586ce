/** Counts the changes of a list, so that one that comes while its file is written is saved next time. */
export class EditedFile {
  #revision = 0;
  #savedRevision = 0;

  /** Increases with every change. */
  get revision(): number {
    return this.#revision;
  }
  /** True if anything has changed since the file was read or saved. */
  get edited(): boolean {
    return this.#revision !== this.#savedRevision;
  }
  /** Call once the bytes of this revision are on the disk. */
  saved(revision: number): void {
    this.#savedRevision = revision;
  }

  protected countChange(): void {
    this.#revision++;
  }
}
