/** The checks of the doctor in Italian. */
import type { Texts } from './en.ts';

const italian: Texts = {
  passed: (count: number) => (count === 1 ? '1 controllo superato' : `${count} controlli superati`),
  details: 'Dettagli',
  checks: {
    node: ['Node.js', 'Node.js è troppo vecchio', 'Installa una versione più recente di Node.js su questo computer.'],
    addon: ['Programma', 'Manca una parte del programma', 'Installa di nuovo receiverd.'],
    settings: [
      'Impostazioni',
      'Il file di configurazione non è leggibile',
      'Valgono le impostazioni precedenti all’ultima modifica. Cambia un’impostazione per riscrivere il file.',
    ],
    folder: [
      'Cartella',
      'Una cartella non è utilizzabile',
      'Controlla che il suo disco sia collegato e abbia spazio, o scegli un’altra cartella.',
    ],
    lists: [
      'Elenchi',
      'Un elenco non è leggibile per intero',
      'Possono mancare canali, timer o account. I dettagli indicano il file.',
    ],
    guide: [
      'Fonte della guida',
      'Non è stato possibile leggere una fonte della guida',
      'Controlla il suo indirizzo. I dettagli indicano la risposta del server; il ricevitore riprova.',
    ],
    tuner: [
      'Tuner',
      'Un tuner non funziona',
      'Controlla che sia collegato e acceso e che il suo indirizzo sia corretto.',
    ],
    channels: [
      'Canali',
      'Nessun tuner riceve i canali',
      'La demo integrata è l’unico tuner. Scegli quello che riceve i canali degli elenchi.',
    ],
    firmware: [
      'Firmware',
      'Manca il firmware di un tuner',
      'Installa i file indicati nei dettagli, poi riavvia il computer.',
    ],
    port: ['Porta', 'Una porta non è utilizzabile', 'Chiudi il programma che la occupa o scegli un’altra porta.'],
    output: [
      'Immagine',
      'Questo computer non può mostrare l’immagine',
      'Installa mpv 0.33 o più recente, o disattiva l’immagine su questo computer.',
    ],
    command: [
      'Spegnimento',
      'Il computer non si può spegnere da qui',
      'Manca il comando. Indicane un altro o non consentire lo spegnimento.',
    ],
    alarm: [
      'Sveglia',
      'Il computer non si può accendere per registrare',
      'Consenti al ricevitore di impostare la sveglia o disattivala: il computer resta acceso finché ci sono timer.',
    ],
    keys: [
      'Telecomando',
      'Il telecomando non può scrivere su questo computer',
      'Carica il modulo uinput e consenti al ricevitore di usarlo, o disattiva l’impostazione.',
    ],
  },
};

export default italian;
