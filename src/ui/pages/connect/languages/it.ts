/** The texts of the page that connects apps, in Italian. */
import type { Texts } from './en.ts';

const italian: Texts = {
  apps: 'App',
  browser: 'Telefono o tablet',
  channels: 'Canali',
  allChannels: 'Tutti i canali',
  values: {
    page: 'Indirizzo',
    host: 'Host',
    webPort: 'Porta web',
    streamPort: 'Porta di streaming',
    playlist: 'Playlist (M3U)',
    guide: 'Guida (XMLTV)',
    tuner: 'Indirizzo del sintonizzatore',
  },
  about: {
    browser:
      'Apri questo indirizzo su un altro dispositivo della tua rete o inquadralo con la fotocamera. Molti browser possono aggiungere la pagina alla schermata Home.',
    kodi: 'Installa il componente aggiuntivo Enigma2 Client, inserisci questi valori e riavvia Kodi. Canali, guida, timer e registrazioni appaiono poi in TV e Radio.',
    vlc: 'Apre i canali come playlist. mpv e la maggior parte degli altri lettori accettano lo stesso indirizzo.',
    jellyfin:
      'Aggiungi la playlist come sintonizzatore, poi la guida. Jellyfin le abbina con gli identificativi dei canali.',
    plex: 'Plex trova il ricevitore come sintonizzatore HDHomeRun. Altrimenti inserisci lì questo indirizzo. Per la guida scegli XMLTV e inserisci il secondo indirizzo.',
    iptv: 'TiviMate e altre app IPTV accettano la playlist, e la guida come indirizzo EPG.',
    homeAssistant:
      'Aggiunge il ricevitore come lettore multimediale. Con un broker MQTT nelle impostazioni appare anche da solo, con più comandi.',
    dreamDroid: 'Telecomando, guida, timer e streaming su Android. Lascia gli altri campi come sono.',
  },
  hdhomerunOff: 'Il ricevitore non appare ancora come HDHomeRun.',
  switchOn: 'Attiva',
  qrCode: (label: string) => `Codice QR: ${label}`,
  local: (host: string) =>
    `Hai aperto questa pagina sul dispositivo del ricevitore. Nella tua rete il suo indirizzo è ${host}.`,
  onlyHere: 'Questi indirizzi funzionano solo su questo dispositivo, perché non ha un indirizzo in una rete.',
  needsPorts:
    'Questa app ha bisogno delle porte del ricevitore, a cui questo indirizzo non porta. Apri questa pagina all’indirizzo HTTP del ricevitore per vederle.',
  secureApp: 'Queste porte sono per HTTPS: attiva HTTPS (SSL) nell’app, anche per gli streaming.',
  certificate:
    'Se un’app rifiuta il certificato del ricevitore, apri questa pagina in HTTP e usa gli indirizzi che mostra allora.',
  login:
    'Inserisci nome utente e password di un account che può guardare la TV e attiva l’accesso anche per gli streaming, se l’app lo offre.',
  loginOfLists:
    'Playlist e guida richiedono l’accesso. Alcune app lo chiedono; per le altre inseriscilo nell’indirizzo: http://UTENTE:PASSWORD@… Gli indirizzi nella playlist funzionano senza accesso per un tempo limitato, quindi lascia che l’app la aggiorni ogni giorno. Se un’app non può accedere, consenti di guardare senza accesso nelle impostazioni, in Rete e accesso.',
};

export default italian;
