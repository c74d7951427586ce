// Canal Orée: documentaries.
#include "dvb/demo/guide_languages.h"

namespace receiverd::dvb::demo {

const std::string_view kGuideFrench = R"guide(
l Saison|Épisode
= rivieres 91 0 s
t Au fil des rivières
a Une descente lente, de la source à la mer, avec ceux qui vivent de l'eau. Version originale française, commentaire anglais sur la seconde piste.
c Réalisation=Élodie Vauquelin|Musique=Théo Marsac
e La Sourdine|Quarante kilomètres de gorges, trois moulins et un héron qui n'aime pas les caméras.
e L'Aubette|Une rivière disparue sous la ville refait surface, place après place.
e La Vèze noire|Les tourbières du plateau gardent la mémoire de l'orage.
e Le Grand Orlan|Sur le fleuve, les mariniers passent d'une écluse à l'autre comme on tourne les pages.
e La Fontaine-aux-Fées|Le débit double chaque printemps sans que personne ne sache pourquoi.
e Le delta|Là où l'eau douce hésite, les flamants décident.
= metiers 93 0 s
t Gestes rares
a Des métiers que l'on n'apprend plus dans les livres.
c Réalisation=Bérénice Castaing
e La dentellière|Mille deux cents fuseaux et une patience sans âge.
e Le fondeur de cloches|On ne coule le bronze qu'une fois ; après, il faut écouter.
e La souffleuse de verre|À onze cents degrés, chaque hésitation se voit.
e Le charpentier de marine|Un bateau de travail renaît, bordé après bordé.
e Le luthier|L'épicéa a quatre cents ans, le violon aura trois mois de plus.
= ciel 92 0 s
t Sous le même ciel
a L'astronomie expliquée depuis le toit d'un observatoire de montagne.
c Avec=Aurélien Décamps
e La nuit la plus longue|Treize heures d'obscurité pour une seule galaxie.
e Poussières|Ce qui brûle au-dessus de nos têtes vient parfois de très près.
e Le bruit du Soleil|Une antenne, un verger et un signal de huit minutes.
e Cartes anciennes|Des étoiles dessinées à la plume guident encore les télescopes.
= villes 94 0 s
t Villes à hauteur d'homme
a Une ville, une journée, à pied.
e Lisière-sur-Mer|De la criée au dernier tramway.
e Port-Émeraude|Une ville bâtie sur des pilotis et sur des rumeurs.
e Haut-Châtel|Trois cent douze marches entre la gare et le marché.
e Les quais d'Orvanne|La nuit, les péniches deviennent des voisines.
= histoire 93 10 s
t L'énigme du jeudi
a Un document, une question, une enquête d'historiens.
c Présentation=Séverine Août
e La lettre sans timbre|Elle a mis quatre-vingts ans pour parcourir six kilomètres.
e Le roi qui n'existait pas|Une chronique médiévale cite un souverain que nul n'a connu.
e Les plans de l'ingénieur Maës|Un pont dessiné en 1889 tient debout… sur le papier.
e Le trésor de l'abbaye|L'inventaire compte douze calices. Il en reste treize.
= film 10 10 f
t Cinéma
e L'été des martinets|Chronique. Une géologue revient dans le village que son père a cartographié toute sa vie.
c Réalisation=Noëlle Garance|Avec=Lucie Ferrand, Ismaël Kadi|Année=2015
e Le dernier wagon|Policier. Un contrôleur découvre un voyageur qui n'est monté nulle part.
c Réalisation=Éric Tournel|Avec=Gaspard Lenoir, Inès Vautrin|Année=2009
e Une île, demain|Science-fiction. Douze habitants votent pour savoir s'ils restent.
c Réalisation=Maëlle Corbin|Avec=Océane Rivel, Hugo Pérault|Année=2020
e La maison aux hirondelles|Comédie. Impossible de vendre : les locataires ont des ailes.
c Réalisation=Jérôme Astier|Avec=Françoise Delorme, Côme Valette|Année=2012
e Neige d'août|Drame. Une course en montagne, deux cordées, un seul silence.
c Réalisation=Noëlle Garance|Avec=Anaïs Berthier, Loïc Senn|Année=2018
= cuisine A5 0 s
t À table, paysans !
a Une recette, un terroir, une famille.
e La soupe de châtaignes|Trois heures de feu doux et un secret de grand-mère, révélé à moitié.
e Le pain de seigle|Le four du hameau n'est allumé que deux fois l'an.
e Fromages d'alpage|Monter, traire, attendre.
e L'anguille au vert|Une pêche de nuit et beaucoup d'oseille.
= enquete 23 12 s
t Grand angle
a Le magazine d'enquête de la rédaction.
c Présentation=Raphaël Noguès
e Sable mouvant|Qui achète les plages ?
e Le prix du silence|Des riverains mesurent eux-mêmes le bruit de l'aéroport.
e Forêts à vendre|Des fonds lointains achètent des arbres que personne ne coupe.
e L'eau en bouteille|De la source au rayon, un voyage de neuf cents kilomètres.
= animaux 91 0 s
t Bêtes de nuit
a Ce qui bouge quand tout dort, filmé en lumière infrarouge.
e Le grand-duc|Un vol sans un bruit au-dessus de la carrière.
e Genettes|Elles passent par les toits et personne ne les voit.
e Chauves-souris|Huit mille voix, toutes trop hautes pour nous.
e Blaireaux|Architectes têtus, voisins discrets.
= nuit 60 0 p
t Paysages sonores
a Forêts, rivages et gares au petit matin, sans un mot.
@ 0500 1234567 nuit
@ 0630 1234567 metiers!
@ 0725 1234567 animaux!
@ 0820 1234567 rivieres!
@ 0915 12345 villes!
@ 0915 67 cuisine!
@ 1010 1234567 histoire!
@ 1105 1234567 ciel!
@ 1200 1234567 cuisine
@ 1230 1234567 villes
@ 1325 1234567 animaux
@ 1420 12345 enquete!
@ 1420 67 film!
@ 1600 1234567 metiers
@ 1655 1234567 rivieres
@ 1750 1234567 cuisine!
@ 1820 1234567 ciel
@ 1915 1234567 villes!
@ 2010 1 enquete
@ 2010 2 animaux!
@ 2010 4 histoire
@ 2010 3567 film
@ 2145 1 histoire!
@ 2145 2 enquete!
@ 2145 4 ciel!
@ 2150 3567 metiers!
@ 2240 1234567 animaux!
@ 2335 12 film!
@ 2335 34567 rivieres!
@ 2510 1234567 villes!
@ 2600 1234567 nuit
)guide";

}  // namespace receiverd::dvb::demo
