/** The texts of the page that connects apps, in French. */
import type { Texts } from './en.ts';

const french: Texts = {
  apps: 'Applications',
  browser: 'Téléphone ou tablette',
  channels: 'Chaînes',
  allChannels: 'Toutes les chaînes',
  values: {
    page: 'Adresse',
    host: 'Hôte',
    webPort: 'Port web',
    streamPort: 'Port de diffusion',
    playlist: 'Liste de lecture (M3U)',
    guide: 'Guide (XMLTV)',
    tuner: 'Adresse du tuner',
  },
  about: {
    browser:
      'Ouvrez cette adresse sur un autre appareil de votre réseau, ou scannez-la avec l’appareil photo. Beaucoup de navigateurs peuvent ajouter la page à l’écran d’accueil.',
    kodi: 'Installez l’extension Enigma2 Client, saisissez ces valeurs et redémarrez Kodi. Chaînes, guide, programmations et enregistrements apparaissent alors sous TV et Radio.',
    vlc: 'Ouvre les chaînes comme liste de lecture. mpv et la plupart des lecteurs acceptent la même adresse.',
    jellyfin:
      'Ajoutez la liste de lecture comme tuner, puis le guide. Jellyfin les associe par les identifiants des chaînes.',
    plex: 'Plex trouve le récepteur comme tuner HDHomeRun. Sinon, saisissez-y cette adresse. Pour le guide, choisissez XMLTV et saisissez la seconde adresse.',
    iptv: 'TiviMate et les autres applications IPTV acceptent la liste de lecture, et le guide comme adresse d’EPG.',
    homeAssistant:
      'Ajoute le récepteur comme lecteur multimédia. Avec un broker MQTT dans les paramètres, il apparaît aussi de lui-même, avec plus de commandes.',
    dreamDroid: 'Télécommande, guide, programmations et flux sous Android. Laissez les autres champs tels quels.',
  },
  hdhomerunOff: 'Le récepteur n’apparaît pas encore comme HDHomeRun.',
  switchOn: 'Activer',
  qrCode: (label: string) => `Code QR : ${label}`,
  local: (host: string) =>
    `Vous avez ouvert cette page sur la machine du récepteur. Sur votre réseau, son adresse est ${host}.`,
  onlyHere: 'Ces adresses ne fonctionnent que sur cette machine, car elle n’a pas d’adresse sur un réseau.',
  needsPorts:
    'Cette application a besoin des ports du récepteur lui-même, auxquels cette adresse ne mène pas. Ouvrez cette page à l’adresse HTTP du récepteur pour les voir.',
  secureApp: 'Ces ports sont ceux de HTTPS : activez HTTPS (SSL) dans l’application, aussi pour les flux.',
  certificate:
    'Si une application refuse le certificat du récepteur, ouvrez cette page en HTTP et utilisez les adresses affichées alors.',
  login:
    'Saisissez le nom d’utilisateur et le mot de passe d’un compte autorisé à regarder, et activez la connexion pour les flux si l’application le propose.',
  loginOfLists:
    'La liste de lecture et le guide demandent une connexion. Certaines applications la demandent ; pour les autres, mettez-la dans l’adresse : http://UTILISATEUR:MOT_DE_PASSE@… Les adresses de la liste fonctionnent sans connexion pendant un temps limité : laissez l’application l’actualiser chaque jour. Si une application ne peut pas se connecter, autorisez à regarder sans connexion dans les paramètres, sous Réseau et accès.',
};

export default french;
