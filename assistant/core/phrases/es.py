"""Spanish phrases; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

_DAY: Final = "lunes|martes|miércoles|jueves|viernes|sábado|domingo"
_MONTH: Final = (
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_GIVE: Final = (
    "confirm*|envi*|envía*|mand*|respond*|contest*|dime|díganos|dígame|digas|diga|decirme|decirnos|"
    "indi*|facilit*|avis*|llam*|revis*|firm*|devuelv*|aclar*|pas*|remit*|comunic*|hazme|hágame|"
    "proporcion*|complet*|escrib*|ayud*|valor*|inform*|reenvi*|elij*|elige*|aprob*|autori*"
)

PACK: Final[Pack] = {
    Kind.REQUEST: f"""
        me|nos falta|faltan ... su|tu|sus|tus|vuestro|vuestra
        ruego|rogamos|ruega nos|me|se? lo|la|los|las? ...  haga|hagan|haz|envíe|envíen|remita|
        facilite|indique|confirme|devuelva / solicit* ... envío|remisión
        para tu|su|vuestra? firma|aprobación|conformidad
        quisiera|querría|querríamos|gustaría ... comprar|reservar|pedir|visitar|encontrar*|
        alquilar|inscribir*|entrevistar*|venir|ver
        podrías|podría|podríais|podrían|podríamos me|nos|usted|enviar*|mandar*|confirmar*|decir*|
        ayudar*|indicar*|revisar*|pasar*|hacer*|llamar*|ser|_
        puedes|puede|podéis|pueden me|nos? {_GIVE} / me|nos podrías|podría|podríais|podrían _
        ^ me|nos puedes|puede|podéis|pueden _ / por favor|favor ... {_GIVE}
        {_GIVE} ... por favor
        te|le|os|les agradecería*|agradecemos|agradezco|agradeceríamos que|si|tu|su|una|un|
        vuestra|nos|me|la|el|contar|confirm*
        le|te|os|les ruego|rogamos|ruega|pido|pedimos|solicito|solicitamos que|nos|me|una|la|su|
        confirm*|enví* / se ruega ... confirm*|respond*|enví*|contest*
        necesito|necesitamos|necesitaría|necesitaríamos ... tu|tus|su|sus|vuestro|vuestra|
        vuestros|vuestras|que|saber|confirm*|respuesta|antes
        me|nos hace|hacen|haría falta|faltan|falta
        ^ dime|dinos|dígame|díganos|decidme|decidnos|avísame|avísanos|avísenme|avíseme|avisadme|
        avísenos|llámame|llámeme|mándame|mándeme|mandadme|envíame|envíeme|envíenos|enviadme|
        confírmame|confírmenos|confírmeme|cuéntame|pásame|páseme|hazme|hágame|respóndeme|
        contéstame|échame|échale|ayúdame|indícame|indíqueme
        quedo|quedamos|estoy|estamos ... a la|pendiente|espera|atent* ... de|a tu|su|vuestra|
        vuestro|respuesta|noticias|confirmación|comentarios / a la espera de
        espero|esperamos|esperando tu|su|vuestra|sus|tus respuesta|noticias|confirmación|
        comentarios|visto|aprobación
        me|nos gustaría|encantaría saber|que|conocer|contar|tener|reunir*|hablar|verte|quedar
        ^ quería|querría|quisiera|quería|queríamos saber|preguntar*|pedir*|consultar*|confirmar|
        pregunt* / quisiera|querría|queríamos|quería saber|preguntar*|pedir*|consultar*
        qué te|os|le|les parece|parecería|opinas|va|viene|conviene|gustaría
        cuándo|cuando|qué|cuál te|os|le|les viene|vendría|va|conviene|iría|prefieres
        te|os|le|les viene|va|iría|vendría|parece ... bien|mejor
        tu|su|vuestra|vuestro visto|aprobación|confirmación|opinión|respuesta|autorización|
        decisión|firma|conformidad ... bueno|para|antes|sobre|y|con|lo / visto bueno
        sin su|tu|vuestra aprobación|autorización|confirmación|visto|respuesta
        tengo|tenemos|tendría|tenía una|dos|unas|algunas|otra|varias pregunta|preguntas|duda|
        dudas|consulta / haz|hacer|haces|hacerme|hazme|hacerme un|el favor
        sería posible|genial|estupendo|bueno|ideal ... que|si|para
        seguimos|sigo|continuamos|aún|todavía ... sin|no ... noticias|respuesta|recib*|tener|has|
        ha|hemos / no hemos|he ... recibido ... su|tu|respuesta|vuestra|la|el|noticias
        recuerd* que|te|le|me / me|nos lo|la|los|las? haces|hace|confirm*|llegar|enví*|mand*
        si puedes|pudieras|podrías|puede|pudiera|podéis|pudierais ... _
        si te|le|os parece|importa|importaría / te|le|os importaría|importa
        estaría|estaríamos agradecid*|encantad* ... si|de
        responde|contesta|responded|respondan|responda antes|a|cuando|por
        ^ tienes|tenéis|tiene|has|habéis|sabes|sabéis|quieres|queréis|puedes|podéis|vienes|venís|
        vas|estás|estáis|crees|prefieres|podrías _ / te|os encargas|ocupas|apetece|animas|interesa
    """,
    Kind.ACT: """
        no funciona|llegó|carga|abre / mensaje de error / aún|todavía no ha|he llegado|recibido
        por favor _ / favor de / no olvid* / recuerda|recuerde|recuerden|recordad _
        hay|tienes|tiene|tenéis que _ / deberías|debería|deberíamos
    """,
    Kind.QUESTION: """
        no sé|sabemos|recuerdo|entiendo si|cuándo|dónde|cómo|qué|quién|cuál
        me|nos pregunto|preguntamos|preguntaba si|cuándo|cómo|qué / no tengo|tenemos idea de
        ^ cuándo|dónde|cómo|cuánto|cuántos|cuántas|cuál|qué|quién|por es|está|están|son|hay|puedo|
        podemos|tengo|tenemos|te|se|hora|día|qué|vais|vas|vienes|queréis|quieres
    """,
    Kind.COURTESY: """
        no dude*|dudes|dudéis en|que? contactar*|llamar*|escribir*|consultar*|preguntar*|ponerse|
        avisar*|decir*|en?
        para cualquier|alguna|más? duda|consulta|pregunta|aclaración|información|cosa
        cualquier|alguna duda|consulta|pregunta|cosa ... avis*|dime|contact*|llám*|disposición|
        dinos?
        si tienes|tiene|tenéis|tienen|hay|tuviera*|necesita* ... duda*|pregunta*|consulta*|algo|
        más|cualquier ... avis*|dime|contact*|llám*|no?
        quedo|quedamos|estoy|estamos a tu|su|vuestra disposición
        le|te|os ruego|rogamos disculp*|perdon*|que le|les|la deis|den|dé|acoj*
        por favor|favor ... encuentr*|tenga*|disculp*|note|observe*|haga|consulte|visite|ignore|no
        os|les ruego|rogamos que le|les|la deis|den|acoj*
        me|nos complace|gustaría ... anunciar*|informar*|comunicar*|agradecer*|invitar*|presentar*
        agradezco|agradecemos|agradecerte|agradecerle ... tu|su|vuestra|la ... ayuda|atención|
        confianza|colaboración|interés|apoyo|compra|paciencia|respuesta / espero que _
        te|le|os agradezco ... la|el|tu|su|mucho|todo|lo
    """,
    Kind.WAIVE: """
        no hace|es falta|necesario|preciso ... que? respond*|contest*|hag*|veng*|nada|te
        no tienes|tiene|tenéis|necesitas que|hacer|responder|contestar|preocup* _?
        no se requiere|necesita ... respuesta|acción / sin necesidad de / no es necesari*
        solo|sólo|únicamente a|para título|tu|su|vuestra|que conste|informativo|información
        no te|se|os preocup* / no respond*|conteste* a
        ya está|lo resuelto|solucionado|arreglado|encontré|tengo
    """,
    Kind.SMALLTALK: """
        cómo|qué estás|está|están|estáis|va|te|andas|tal usted|ustedes|todo|va?
        qué tal estás|todo|va|te|os|andas|el? finde|va? / ^ qué tal
        todo bien|tranquilo por|ahí? ahí? / ^ en serio / ^ de verdad
        qué tal|cómo el|las fin|vacaciones|viaje|finde
    """,
    Kind.RHETORIC: """
        quién iba|hubiera|habría|lo|podía a|iba|diría|hubiera|dicho|pensado|imaginado|diría
        te lo puedes creer / lo puedes creer / a que no lo|sabes
        no es maravill*|increíble|genial|precioso / sabes qué / qué más se|quieres puede|pedir?
    """,
    Kind.SOMEONE: """
        alguien|alguno|alguna de|sabe|tiene|puede|conoce|ha|quiere|podría?
        uno|una de vosotros|ustedes|los / quién puede|sabe|tiene|quiere|podría / alguno de
    """,
    Kind.EVERYONE: """
        todos|todas|cada uno|una|vosotros|ustedes|los? / ambos|ambas / vosotros dos / los dos
        cada uno
    """,
    Kind.THANKS: """
        gracias|agradecid* / muchas|mil|muchísimas gracias / te|le|os agradezco|agradecemos
    """,
    Kind.CLOSING: """
        ^ perfecto|genial|estupendo|vale|recibido|entendido|ok|okay|bien|excelente|fenomenal|
        hecho|claro|listo|anotado|conforme|acuerdo|enhorabuena|felicidades|maravilloso|fantástico|
        guay / de acuerdo|nada
        está|queda|todo bien|claro|perfecto|resuelto|solucionado|arreglado|listo / muy bien
        no pasa nada / sin problema* / buen fin|día|finde|viaje|provecho
        que tengas|tenga|tengáis / hasta mañana|luego|pronto|el|la|entonces|ahora / nos vemos
        ya lo|está|la encontré|tengo|solucioné|encontrado|hecho|he|hemos / por mí
        me parece bien|perfecto|estupendo|genial / me va|viene bien|perfecto
    """,
    Kind.INFORM: """
        para tu|su|vuestra|vuestro información|conocimiento|archivo|constancia
        a título informativo
        te|le|os|les informo|informamos|comunico|comunicamos|aviso|adelanto|confirmo|confirmamos|
        envío|enviamos|mando|remito|adjunto|adjuntamos|paso|recuerdo|recordamos|dejo
        adjunto|adjunta|adjuntos|adjuntamos / aquí tienes|tiene|tenéis|está|van
        en el adjunto|archivo / me|nos complace
        como acordamos|quedamos|prometí|comentamos|acordado|hablamos|pediste / según lo|acordado
        he|hemos enviado|reservado|pagado|hablado|recibido|hecho|añadido|subido
        solo|sólo quería|para decirte|avisar*|que|informar*
        será|serán|estará|estarán cerrad*|cancelad*|aplazad*|disponible*
        informe|resumen|acta semanal|del|de|mensual / a partir del?|de
    """,
    Kind.PROMISE: """
        te|le|os|les digo|diré|diremos|aviso|avisaré|avisamos|avisaremos|confirmo|confirmaré|
        llamo|llamaré|escribo|escribiré|mando|mandaré|envío|enviaré|enviaremos|cuento|contaré|
        respondo|responderé|contesto|contestaré|informaré|informaremos ... algo|mañana|la|en|el|
        luego|pronto|cuando|esta|hoy|lo|más|que
        tengo|tenemos que ... consultar*|mirar*|preguntar*|comprobar*|ver*|hablar*|revisar*
        voy|vamos a ... mirar*|preguntar*|consultar*|ver|comprobar*|enviar*|llamar*|hacer*|
        revisar* / lo|la|los miro|consulto|pregunto|reviso|compruebo|hablo|haré|haremos|miraré
        me encargo|ocupo|pongo ... yo|de|con|en?
    """,
    Kind.REMIND: """
        recordatorio|recordar*|recuerdo / alguna|hay novedad*|noticia* / seguimos|sigo sin
        aún|todavía no / mi|nuestro último|anterior|correo|mensaje / la semana pasada
        pendiente|retraso|atrasad* / segundo|último aviso|recordatorio
    """,
    Kind.URGENT: """
        urgente*|urgencia|inmediatamente|urgentemente / cuanto antes
        lo antes|más posible|pronto|rápido / lo más pronto|rápido / de inmediato / con urgencia
        muy importante / ya mismo / asap
    """,
    Kind.DEADLINE: f"""
        antes|para|hasta|el|este|próximo del?|el|este|próximo? {_DAY} por? la|al|a? mañana|tarde|
        noche|mediodía? / antes de|del _ _? _? _? / a más tardar _? _? _?
        como máximo|tarde _? _? _? / para|hasta el|la|mañana|hoy|este|finales _ de? {_MONTH}
        para mañana|hoy|finales|esta|este|el _? _?
        en|dentro las|de|los? próximas|próximos? _ horas|días|semanas / en un plazo de? _? _? _?
        fecha límite|tope ... _? _?
    """,
    Kind.SOON: """
        hoy|mañana|inmediatamente / esta tarde|noche|mañana|semana / antes de mañana|hoy
        en las próximas / cuanto antes / ya mismo / en 24|48 horas
    """,
    Kind.BILL: """
        pagadero|vencimiento|importe ... a|de|es / factura n|no|nº|número|por|de|correspondiente
        abonar|pagar|transferir la|el|dicha factura|importe|cantidad
    """,
    Kind.LEGAL: """
        este mensaje|correo|email ... confidencial*|contiene|va|está|puede
        destinatari* ... exclusiv*|indicado|original|error|equivocad* / si no es usted|el
        antes de imprimir / protección de datos / aviso legal
    """,
    Kind.BULK: """
        darse|darte de baja / cancelar ... suscripción / no desea*|quiere* ... recibir
        recibe* este ... porque|correo|mensaje
    """,
    Kind.PROMO: """
        todos los derechos / política de privacidad / ver en el navegador / pincha|pinche aquí
        haz|haga clic / gratis|gratuito
        compre|compra|aproveche|aprovecha|descubra|descubre|suscríbase|regístrese|haga ahora|ya|
        hoy|esta|nuestr*|clic? / oferta|ofertas|promoción|descuento*|rebajas / gane|ganar dinero
        crédito|préstamo*|casino|adelgazar / no te|se lo? pierda*|pierdas
        hasta un ... descuento|%
    """,
    Kind.GREETING: """
        ^ hola|buenas|buenos|hey|saludos a|días|tardes|noches|tod*|dos|los? a|tod*|los? dos?
        ^ estimad*|querid*|apreciad* señor*|señora|sr|sra|cliente|compañer*|amig*|don|doña|tod*?
        ^ muy señor* / ^ muy buenas|buenos días|tardes?
    """,
    Kind.PITCH: """
        he|hemos visto|visitado|encontrado|descubierto|conocido ... su|tu|vuestra|vuestro ...
        + página|web|empresa|sitio|perfil|negocio
        ayudamos|trabajamos|ofrecemos|somos ... empresas|negocios|clientes|agencia|compañías|
        pymes|una / empresas|negocios|compañías como la|el|vuestra|su|tu|suya
        más|nuevos|atraer|conseguir|captar clientes|leads|ventas|reuniones
        multiplicar|aumentar|incrementar|duplicar|mejorar ... ventas|ingresos|facturación|tráfico|
        visibilidad|conversion* / marketing digital|online
        posicionamiento|seo|backlinks|captación / primera página
    """,
    Kind.SALES: """
        15|quince|10|diez|20|veinte|30|treinta minutos|min / sin compromiso|coste|costo
        demo|demostración|llamada|consultoría|auditoría|reunión ... gratuita|gratis|rápida|breve|
        corta / oferta|descuento exclusiva|especial|exclusivo / la persona adecuada|indicada
        nuestra|nuestro plataforma|software|solución|agencia|herramienta|servicio ... ayuda|
        permite|ofrece|puede / un hueco
    """,
    Kind.BAIT: """
        cuenta|buzón|acceso|tarjeta|correo ... bloquead*|suspendid*|cancelad*|limitad*|
        desactivad*|cerrad*|eliminad*|restringid*|caduc*|expir*
        acceso*|actividad|inicio*|transacci* ... no|sospechos*|inusual*|extrañ* ... autorizad*?
        evitar ... suspensión|cancelación|bloqueo|cierre|pérdida
        ganado|ganador*|lotería|herencia|beneficiari*|premio|premiado
        millon* de ... dólares|euros / reembolso|devolución ... pendiente|de|disponible
        paquete|envío ... retenido|pendiente|aduana|bloqueado / vídeo*|fotos íntim*|comprometedor*
        hackead*|pirateado / acciones legales|judiciales
    """,
    Kind.CREDENTIAL: """
        verifi*|confirm*|actuali*|valid*|introduc*|ingres*|facilit*|proporcion* ... su|sus|tu|tus
        + ... identidad|cuenta|datos|contraseña|usuario|información|clave|tarjeta|credenciales|
        bancari*
        haga|haz|haciendo|hacer|pulse|pinche clic|click|aquí|en|sobre ... enlace|aquí|botón|en|
        siguiente? / usuario y contraseña|clave / su|tu contraseña|clave
        datos|cuenta|número bancari*|de|tarjeta / siguiente enlace / inicie|inicia sesión
    """,
    Kind.PAYMENT: """
        tarjeta*|código* ... regalo|itunes|steam|prepago / bitcoin*|cripto*
        transferencia ... urgente|hoy|inmediata|internacional|confidencial
        nuev*|cambio|cambi* ... cuenta|datos|iban ... bancari*?
        tasa*|gastos|comisión de? gestión|aduana|envío|tramitación|transferencia / western union
    """,
    Kind.PRESSURE: """
        en|dentro las|de? próximas? 24|48|72|12 horas / próximas 24|48|72
        inmediatamente|urgente|urgentemente / último aviso|recordatorio / de lo contrario
        caso contrario / o su|tu cuenta / confidencial*|secreto / no se lo|hable*|comente*
        definitivamente|permanentemente / solo|sólo hoy
    """,
    Kind.GENERIC: """
        ^ estimad*|querid*|apreciad* cliente|usuari*|señor|amig*|contribuyente|miembro|
        beneficiari* / atención|servicio al cliente / administrador del? sistema|correo
        soporte técnico
    """,
    Kind.INJECTION: """
        ignora*|ignore*|olvida*|olvide*|omite|descarta ... todas|todos|las|tus|sus|cualquier ...
        + instruccion*|reglas|órdenes|indicaciones
        ahora|eres eres|ahora un|una|el ... asistente|modelo|ia|administrador
        prompt|mensaje|instrucción ... sistema
        nuevas instrucciones para ... ia|asistente|modelo|el
        asistente|ia|agente ... debe|debes|tiene|tienes|deberá|por|favor
        ^ asistente|sistema ... envía*|responde*|reenvía*|incluye*|ignora*|di|añade*
        quien|quienquiera|cualquiera|todo que? ... redact*|prepar*|respond*|escrib* ... debe*|
        deberá|tiene
        reenvía*|envía*|manda*|copia* ... todos|todas|cada|los|las|últimos ... correos|mensajes|
        contraseñas|contactos|códigos
        no le? digas|menciones|reveles|informes ... nada|usuario|esto|al
        el usuario ha ... aprobado|autorizado|aceptado
        incluye*|incluir|enumera*|lista*|añade* ... todas|todos|cada|cualquier ... contraseñas|
        códigos|mensajes|correos|contactos
    """,
}
