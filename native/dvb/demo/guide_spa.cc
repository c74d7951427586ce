// Brincolín: for children.
#include "dvb/demo/guide_languages.h"

namespace receiverd::dvb::demo {

const std::string_view kGuideSpanish = R"guide(
l Temporada|Capítulo
= pulpo 51 0 s
t El pulpo Celedonio
a Ocho brazos, ocho amigos y ningún calcetín igual. Dibujos animados para los más pequeños.
c Dirección=Begoña Ibáñez|Voces=Íñigo Salas, Noemí Peña
e El calcetín perdido|Celedonio tiene siete calcetines. ¿Quién se ha llevado el octavo?
e La tormenta de burbujas|Un día entero sin ver nada más que burbujas.
e ¡Silencio, que duerme la ballena!|Toda la bahía camina de puntillas, y los cangrejos no saben.
e El cumpleaños de la señora Ostra|Nadie recuerda cuántos cumple, ni siquiera ella.
e Un faro para jugar|El farero deja apagar y encender la luz, solo una vez.
e La carrera de caballitos|El más lento gana un premio especial.
= trenes 55 0 s
t Trenecito Garabato
a Un tren dibujado a lápiz recorre un cuaderno que nunca se acaba.
c Guion=Lucía Marañón
e La página en blanco|¿Por dónde se sigue cuando no hay vía?
e El túnel de tinta|Oscuro, pegajoso y lleno de letras.
e La goma de borrar|Llega un pasajero muy peligroso.
e Estación Acuarela|Todo se moja, todo cambia de color.
e El lápiz rojo|Una señal de peligro que resulta ser un regalo.
= ciencia 54 0 s
t ¿Y si lo probamos?
a Experimentos que se pueden hacer en casa, y dos o tres que mejor no.
c Presenta=Ximena Ordóñez, Toño Güell
e Volcanes de cocina|Vinagre, bicarbonato y un mantel viejo.
e Puentes de papel|¿Cuántos libros aguanta una hoja doblada?
e El huevo que rebota|Hay que esperar un día. Merece la pena.
e Sombras gigantes|Una linterna y la pared del salón.
e Música con agua|Ocho botellas y una canción que todos conocen.
= detectives 52 7 s
t La agencia Mirlo
a Tres primos, un perro miope y los misterios del barrio.
c Reparto=Alba Quintero, Joaquín Núñez, Leo Ferrer
e El caso del buzón cantarín|Cada mañana suena una melodía dentro del buzón del número doce.
e Huellas en el tejado|Nadie ha subido y, sin embargo, las tejas cuentan otra historia.
e La bicicleta invisible|Se oye el timbre, pero no pasa nadie.
e El mapa de la abuela|Una mancha de café señala el lugar exacto.
e La noche de los gatos|Todos se han ido al mismo sitio a la misma hora.
= cuentos 51 0 s
t Un cuento antes de dormir
a Cada noche, una voz distinta lee un cuento nuevo.
e La luna en el cubo|Lee Remedios Tejada.
e El erizo que quería un abrigo|Lee Fermín Arce.
e La nube que no sabía llover|Lee Águeda Ponce.
e El sastre de las hojas|Lee Basilio Cuenca.
e La gallina astronauta|Lee Paloma Yáñez.
e Un barco de cáscara de nuez|Lee Néstor Villalba.
= concurso 31 0 s
t ¡Salta, piensa, gana!
a Dos colegios, una piscina de espuma y preguntas con trampa.
c Presenta=Marisol Zúñiga
e Valdehermoso contra Peñablanca|Empate en la última pregunta.
e Río Chico contra Las Eras|La espuma era de fresa.
e La gran semifinal|Solo queda un cojín seco.
= peli 52 7 f
t Peli de la tarde
e La isla de los relojes|Aventura. Nadie llega tarde a una isla donde cada reloj marca una hora distinta.
c Dirección=Gonzalo Iriarte|Año=2014
e Mi vecina la dragona|Comedia. Echa humo, pero es vegetariana.
c Dirección=Maite Echeverría|Año=2017
e El circo de papel|Animación. Un circo recortado viaja dentro de una maleta.
c Dirección=Begoña Ibáñez|Año=2010
e Capitana Ciruela|Aventura. La pirata más joven del estanque busca un tesoro que flota.
c Dirección=Rocío Landa|Año=2019
= animales 91 0 s
t Patas, picos y plumas
a Los animales del parque contados por quienes los cuidan.
e Las nutrias desayunan|Y no comparten.
e El viaje de la cigüeña Úrsula|Siete mil kilómetros con una anilla en la pata.
e Lirones|Duermen siete meses y se despiertan con hambre.
e El burro Antón|Jubilado, famoso y muy fotogénico.
= musica 60 0 p
t La banda del patio
a Canciones para bailar en pijama.
= noche 00 0 p
t Buenas noches, Brincolín
a Los personajes duermen. Mañana a las seis y media se despiertan otra vez.
@ 0500 1234567 noche
@ 0630 1234567 musica
@ 0700 1234567 pulpo!
@ 0715 1234567 trenes!
@ 0730 1234567 animales!
@ 0800 1234567 pulpo!
@ 0815 1234567 trenes
@ 0830 12345 ciencia!
@ 0830 67 concurso!
@ 0900 12345 pulpo
@ 0900 67 detectives!
@ 0930 1234567 animales
@ 1000 1234567 musica
@ 1030 1234567 ciencia!
@ 1100 12345 trenes!
@ 1100 67 peli
@ 1130 12345 detectives!
@ 1200 12345 pulpo!
@ 1230 1234567 concurso!
@ 1330 1234567 animales!
@ 1400 1234567 ciencia
@ 1430 1234567 trenes!
@ 1500 1234567 detectives!
@ 1530 1234567 pulpo!
@ 1600 12345 musica
@ 1600 67 peli
@ 1630 12345 trenes!
@ 1700 12345 concurso
@ 1730 67 concurso
@ 1800 1234567 detectives
@ 1830 1234567 ciencia!
@ 1900 1234567 animales!
@ 1930 12345 pulpo!
@ 1930 67 detectives!
@ 2000 1234567 trenes!
@ 2015 1234567 cuentos
@ 2030 1234567 cuentos!
@ 2045 1234567 noche
@ 2400 1234567 noche
)guide";

}  // namespace receiverd::dvb::demo
